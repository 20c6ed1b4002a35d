#include "providers/shared/storage/rotating_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <exception>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {

RotatingLog::RotatingLog(std::filesystem::path stem, const Plan& plan)
    : stem_(std::move(stem)), plan_(plan), file_bytes_(plan.max_bytes / std::max(1u, plan.files)) {
  find_earlier_launches();
  if (const int error = begin_file()) {
    throw system_error("fopen", path_.string(), error, "choose a directory that can be written to");
  }
}

// Where names are numbers, each log has a folder of its own, and its first file is number 0.
void RotatingLog::find_earlier_launches() {
  std::error_code failed;
  if (plan_.names == Names::numbers ||
      !std::filesystem::is_directory(stem_.parent_path(), failed)) {
    return;
  }
  full_.clear();
  for (const std::filesystem::path& path : files_of(stem_)) {
    const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
    const auto events = events_in_.find(path);
    if (failed) continue;
    full_.push_back({path, bytes, events == events_in_.end() ? 0 : events->second});
  }
  while (over_cap()) remove_oldest();
}

// A later file has a later time in its name, even if the clock was set back.
std::filesystem::path RotatingLog::next_path() {
  std::filesystem::path path = stem_;
  if (plan_.names == Names::numbers) return path += fmt::format(".{:08}", number_++);
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t ns = duration_cast<nanoseconds>(now).count();
  if (plan_.names == Names::times) ns = std::max(ns, last_ns_ + 1);
  last_ns_ = ns;
  const auto time = fmt::gmtime(static_cast<std::time_t>(ns / kSecond));
  path += fmt::format(".{:%Y%m%dT%H%M%S}", time);
  if (plan_.names == Names::times) path += fmt::format(".{:09}", ns % kSecond);
  return path;
}

// Returns the errno of what failed, or 0.
int RotatingLog::begin_file() {
  path_ = next_path();
  file_ = std::fopen(path_.string().c_str(), "wb");
  if (file_ == nullptr) return errno;
  std::setvbuf(file_, nullptr, _IONBF, 0);
  bytes_ = 0;
  events_ = 0;
  return 0;
}

// Whether one more whole file would exceed the cap. Files of launches may be of any size below
// their share.
bool RotatingLog::over_cap() const {
  if (full_.empty()) return false;
  if (plan_.names == Names::numbers) return full_.size() >= plan_.files;
  std::uint64_t bytes = file_bytes_;
  for (const Full& file : full_) bytes += file.bytes;
  return bytes > plan_.max_bytes;
}

void RotatingLog::remove_oldest() {
  std::error_code ignored;  // a file that stays counts as it is: whoever measures sees it
  std::filesystem::remove(full_.front().path, ignored);
  removed_events_ += full_.front().events;
  events_in_.erase(full_.front().path);
  full_.pop_front();
}

bool RotatingLog::rotate(int& error) {
  std::fclose(std::exchange(file_, nullptr));
  full_.push_back({path_, bytes_, events_});
  if (plan_.names != Names::numbers) {
    events_in_[path_] = events_;
    find_earlier_launches();
  }
  if (plan_.late_events == 0) {
    while (over_cap()) remove_oldest();
  }
  error = begin_file();
  return error == 0;
}

// Whether the next event begins another file, whatever its size.
bool RotatingLog::file_is_over() const {
  return (plan_.launch_events > 0 && events_ >= plan_.launch_events) ||
         (plan_.requests != nullptr && plan_.requests->due());
}

RotatingLog::Append RotatingLog::append(std::span<const std::byte> event, int& error) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    error = 0;
    if (file_ != nullptr && (file_is_over() || bytes_ + event.size() > file_bytes_)) {
      if (plan_.at_cap == AtCap::refuse || event.size() > file_bytes_) return Append::at_cap;
      if (!rotate(error)) return Append::failed;
      if (plan_.requests != nullptr) plan_.requests->done();
    }
    if (file_ == nullptr && (error = begin_file()) != 0) return Append::failed;
    if (std::fwrite(event.data(), 1, event.size(), file_) != event.size()) {
      error = errno;
      return Append::failed;
    }
    bytes_ += event.size();
    ++events_;
    if (plan_.late_events > 0 && events_ >= plan_.late_events) {
      while (over_cap()) remove_oldest();
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
    while (over_cap()) remove_oldest();
  } catch (const std::exception&) {  // no memory for a path: the file stays
  }
}

std::vector<std::filesystem::path> RotatingLog::files_of(const std::filesystem::path& stem) {
  std::vector<std::filesystem::path> files;
  const std::string prefix = stem.filename().string() + ".";
  for (const auto& entry : std::filesystem::directory_iterator(stem.parent_path())) {
    const std::string name = entry.path().filename().string();
    const bool own = name.starts_with(prefix) && name.size() >= prefix.size() + 8 &&
                     name.find_first_not_of("0123456789T.", prefix.size()) == std::string::npos;
    if (own) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tailgate
