// A lock on a file. A process holds it while it lives, so others can see whether it still lives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace tailgate {

class FileLock {
 public:
  // Takes the lock. Returns nothing if another process holds it, if the file cannot be opened, or
  // if another process removed it meanwhile; a symbolic link is not opened. create: creates the
  // file if it does not exist. The system releases the lock when the process ends in any way.
  static std::optional<FileLock> take(const std::filesystem::path& file, bool create);

  FileLock(FileLock&& other) noexcept
      : native_(std::exchange(other.native_, -1)), file_(std::move(other.file_)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(native_, other.native_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileLock() { release(); }

  // Removes the file and then releases the lock, so that nobody takes it in between. The file is
  // the one that was given to take(), at the same path. A second call does nothing.
  void remove();

 private:
  FileLock(std::intptr_t native, std::filesystem::path file)
      : native_(native), file_(std::move(file)) {}

  void release();

  std::intptr_t native_;  // descriptor or HANDLE; -1: released
  std::filesystem::path file_;
};

}  // namespace tailgate
