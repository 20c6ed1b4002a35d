#include "providers/file/descriptor_linux.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "harness/base/error.h"

namespace tailgate::file {

Descriptor::Descriptor(const std::filesystem::path& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags)) {
  if (descriptor_ < 0) {
    throw system_error("open", path.string(), errno, "start the session before its provider");
  }
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Descriptor::write_all(std::span<const std::byte> bytes) const noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

int Descriptor::write_all_at(std::span<const std::byte> bytes,
                             std::uint64_t offset_bytes) const noexcept {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset_bytes += static_cast<std::uint64_t>(written);
  }
  return 0;
}

void Descriptor::close() {
  if (descriptor_ < 0) return;
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    throw system_error("close", path_.string(), errno, "check the disk; events may be missing");
  }
}

void PeriodicSync::after_event(const Descriptor& file) noexcept {
  if (every_ == 0) return;
  const std::uint64_t number = events_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (number % every_ != 0 || ::fdatasync(file.native()) == 0) return;
  error_.store(errno, std::memory_order_relaxed);
}

void PeriodicSync::check(const std::filesystem::path& path) const {
  if (const int error = error_.load()) {
    throw system_error("fdatasync", path.string(), error, "check the disk and the kernel log");
  }
}

}  // namespace tailgate::file
