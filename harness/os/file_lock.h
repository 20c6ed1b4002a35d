// A lock on a file. A process holds it while it lives, so others can see whether it still lives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace tailgate {

class FileLock {
 public:
  // Takes the lock. Returns nothing if another process holds it, or if the file cannot be opened; a
  // symbolic link is not opened. create: creates the file if it does not exist. The system releases
  // the lock when the process ends in any way.
  static std::optional<FileLock> take(const std::filesystem::path& file, bool create);

  FileLock(FileLock&& other) noexcept : native_(std::exchange(other.native_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(native_, other.native_);
    return *this;
  }
  ~FileLock() { release(); }

  // Releases the lock; a second call does nothing. On Windows, the file can be removed only
  // afterwards.
  void release();

 private:
  explicit FileLock(std::intptr_t native) : native_(native) {}

  std::intptr_t native_;  // descriptor or HANDLE; -1: released
};

}  // namespace tailgate
