#include "harness/trial/disk_filler.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

// The dot: no event is in it.
constexpr const char* kFillerName = ".tailgate-filler";
constexpr const char* kFillerRemedy = "give the sink a disk of its own (disk_bytes=1Mi, say)";

// In pieces down to a byte. Returns the errno that ended it.
int write_until_full(int file) {
  static constexpr std::array<char, 65536> kZeros{};
  for (std::size_t piece = kZeros.size(); piece > 0;) {
    if (write(file, kZeros.data(), piece) >= 0) continue;
    if (errno == EINTR) continue;
    if (errno != ENOSPC) return errno;
    piece /= 2;
  }
  return ENOSPC;
}

}  // namespace

void DiskFiller::fill(const std::filesystem::path& folder) {
  free();
  const int directory = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) throw system_error("open", folder.string(), errno, kFillerRemedy);
  folder_ = directory;
  struct statfs system = {};
  const bool known = fstatfs(directory, &system) == 0;
  const auto bytes =
      static_cast<std::uint64_t>(system.f_blocks) * static_cast<std::uint64_t>(system.f_bsize);
  if (!known || system.f_type != TMPFS_MAGIC || bytes == 0 || bytes > kMostBytes) {
    close(std::exchange(folder_, -1));
    throw Error("the session's files are on no small file system in memory", kFillerRemedy);
  }
  const int file =
      openat(directory, kFillerName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const int failed = file < 0 ? errno : write_until_full(file);
  if (file >= 0) close(file);
  if (failed == ENOSPC) return;
  free();
  throw system_error("write", (folder / kFillerName).string(), failed, kFillerRemedy);
}

void DiskFiller::free() noexcept {
  if (folder_ < 0) return;
  unlinkat(folder_, kFillerName, 0);
  close(std::exchange(folder_, -1));
}

}  // namespace tailgate
