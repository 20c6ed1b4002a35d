#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/os/file_lock.h"

namespace tailgate {
namespace {

bool is_still_at(int file, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat there {};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

}  // namespace

std::optional<FileLock> FileLock::take(const std::filesystem::path& file, bool create) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0);
  const int lock = open(file.c_str(), flags, 0600);
  if (lock < 0) return std::nullopt;
  FileLock taken(lock, file);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 || !is_still_at(lock, file)) return std::nullopt;
  return taken;
}

void FileLock::remove() {
  if (native_ >= 0) unlink(file_.c_str());
  release();
}

void FileLock::release() {
  if (native_ >= 0) close(static_cast<int>(std::exchange(native_, -1)));
}

}  // namespace tailgate
