#include "harness/overhead/proc_file_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <memory>
#include <utility>

namespace tailgate {
namespace {

std::optional<std::uint64_t> leading_number(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  if (error != std::errc()) return {};
  return value;
}

}  // namespace

ProcFile::ProcFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

ProcFile::~ProcFile() {
  if (file_ >= 0) close(file_);
}

ProcFile::ProcFile(ProcFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

ProcFile& ProcFile::operator=(ProcFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

std::string_view ProcFile::read() const {
  thread_local std::array<char, 65536> buffer;
  std::size_t size = 0;
  while (file_ >= 0 && size < buffer.size()) {
    const ssize_t got =
        pread(file_, buffer.data() + size, buffer.size() - size, static_cast<off_t>(size));
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return {buffer.data(), size};
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') return leading_number(text.substr(at + key.size()));
  }
  return {};
}

std::optional<std::uint64_t> number_at(std::string_view line, std::size_t index) {
  line = line.substr(0, line.find('\n'));
  std::size_t at = line.find_first_not_of(" \t");
  for (; index > 0 && at != std::string_view::npos; --index) {
    at = line.find_first_of(" \t", at);
    at = line.find_first_not_of(" \t", at);
  }
  return at == std::string_view::npos ? std::nullopt : leading_number(line.substr(at));
}

std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  const auto close = [](DIR* open) { closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> directory(opendir(folder.c_str()), close);
  if (!directory) return numbers;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name(entry->d_name);
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

std::optional<std::uint64_t> some_stall_ns(std::string_view pressure) {
  const std::string_view some = pressure.substr(0, pressure.find('\n'));
  const std::size_t at = some.find("total=");
  if (!some.starts_with("some ") || at == std::string_view::npos) return {};
  const std::optional<std::uint64_t> total_us = leading_number(some.substr(at + 6));
  if (!total_us) return {};
  return *total_us * 1000;
}

}  // namespace tailgate
