#include <sys/statvfs.h>
#include <unistd.h>

#include "providers/shared/daemon/full_disk.h"

namespace tailgate {

bool disk_is_full(const std::filesystem::path& folder) {
  constexpr unsigned long kPageBytes = 4096;
  struct statvfs disk = {};
  if (statvfs(folder.c_str(), &disk) != 0) return false;
  // Root may also use the blocks that the file system keeps back.
  const fsblkcnt_t blocks = geteuid() == 0 ? disk.f_bfree : disk.f_bavail;
  return blocks * disk.f_frsize < kPageBytes;
}

}  // namespace tailgate
