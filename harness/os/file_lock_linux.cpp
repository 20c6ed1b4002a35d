#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/os/file_lock.h"

namespace tailgate {

std::optional<FileLock> FileLock::take(const std::filesystem::path& file, bool create) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (create ? O_CREAT : 0);
  const int lock = open(file.c_str(), flags, 0600);
  if (lock < 0) return std::nullopt;
  FileLock taken(lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return taken;
}

void FileLock::release() {
  if (native_ >= 0) close(static_cast<int>(std::exchange(native_, -1)));
}

}  // namespace tailgate
