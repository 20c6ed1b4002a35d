#include "providers/shared/storage/rotating_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {

RotatingLog::RotatingLog(std::filesystem::path stem, const Plan& plan)
    : stem_(std::move(stem)), plan_(plan), file_bytes_(plan.max_bytes / std::max(1u, plan.files)) {
  if (const int error = begin_file()) {
    throw system_error("fopen", path_of(number_).string(), error,
                       "choose a directory that can be written to");
  }
}

std::filesystem::path RotatingLog::path_of(std::uint64_t number) const {
  std::filesystem::path path = stem_;
  path += fmt::format(".{:08}", number);
  return path;
}

// Returns the errno of what failed, or 0.
int RotatingLog::begin_file() {
  file_ = std::fopen(path_of(number_).string().c_str(), "wb");
  if (file_ == nullptr) return errno;
  std::setvbuf(file_, nullptr, _IONBF, 0);
  bytes_ = 0;
  events_ = 0;
  return 0;
}

void RotatingLog::remove_oldest() {
  std::error_code ignored;  // a file that stays counts as it is: whoever measures sees it
  std::filesystem::remove(path_of(full_.front().number), ignored);
  removed_events_ += full_.front().events;
  full_.pop_front();
}

bool RotatingLog::rotate(int& error) {
  std::fclose(std::exchange(file_, nullptr));
  full_.push_back({number_++, events_});
  if (plan_.late_events == 0) {
    while (full_.size() >= plan_.files) remove_oldest();
  }
  error = begin_file();
  return error == 0;
}

RotatingLog::Append RotatingLog::append(std::span<const std::byte> event, int& error) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    error = 0;
    if (file_ != nullptr && bytes_ + event.size() > file_bytes_) {
      if (plan_.at_cap == AtCap::refuse || event.size() > file_bytes_) return Append::at_cap;
      if (!rotate(error)) return Append::failed;
    }
    if (file_ == nullptr && (error = begin_file()) != 0) return Append::failed;
    if (std::fwrite(event.data(), 1, event.size(), file_) != event.size()) {
      error = errno;
      return Append::failed;
    }
    bytes_ += event.size();
    ++events_;
    if (plan_.late_events > 0 && events_ >= plan_.late_events) {
      while (full_.size() >= plan_.files) remove_oldest();
    }
    return Append::done;
  } catch (const std::exception&) {
    error = ENOMEM;
    return Append::failed;
  }
}

void RotatingLog::close() noexcept {
  if (file_ == nullptr) return;
  std::fclose(std::exchange(file_, nullptr));
  try {
    while (full_.size() >= plan_.files) remove_oldest();
  } catch (const std::exception&) {  // no memory for a path: the file stays
  }
}

std::vector<std::filesystem::path> RotatingLog::files_of(const std::filesystem::path& stem) {
  std::vector<std::filesystem::path> files;
  const std::string prefix = stem.filename().string() + ".";
  for (const auto& entry : std::filesystem::directory_iterator(stem.parent_path())) {
    const std::string name = entry.path().filename().string();
    const bool numbered = name.starts_with(prefix) && name.size() >= prefix.size() + 8 &&
                          name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (numbered) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tailgate
