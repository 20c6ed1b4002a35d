// A lock that a living process holds on a file, by which others know that it lives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace tailgate {

class FileLock {
 public:
  // Nothing when somebody holds the lock or the file cannot be opened (for locking, a symbolic link
  // cannot); create: where there is no file, makes one. The system lets go of the lock when the
  // process ends, whichever way.
  static std::optional<FileLock> take(const std::filesystem::path& file, bool create);

  FileLock(FileLock&& other) noexcept : native_(std::exchange(other.native_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(native_, other.native_);
    return *this;
  }
  ~FileLock() { release(); }

  // A second call does nothing. On Windows, the file can be removed only afterwards.
  void release();

 private:
  explicit FileLock(std::intptr_t native) : native_(native) {}

  std::intptr_t native_;  // descriptor or HANDLE; -1: released
};

}  // namespace tailgate
