#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "harness/base/error.h"
#include "providers/planted/more_work.h"

namespace tailgate {
namespace {

constexpr std::array<char, BlockFile::kBlockBytes> kBlock{};

}  // namespace

// No library and no vDSO answers it without the kernel.
void make_system_call() noexcept {
  syscall(SYS_getppid);
}

BlockFile::BlockFile(const std::filesystem::path& path)
    : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0) {
    throw system_error("open", path.string(), errno, "choose another --scratch folder");
  }
}

BlockFile::~BlockFile() {
  close(static_cast<int>(file_));
}

void BlockFile::write_block() noexcept {
  if (pwrite(static_cast<int>(file_), kBlock.data(), kBlock.size(), 0) !=
      static_cast<ssize_t>(kBlock.size())) {
    failed_.store(true, std::memory_order_relaxed);
  }
}

void BlockFile::sync() noexcept {
  if (fdatasync(static_cast<int>(file_)) != 0) failed_.store(true, std::memory_order_relaxed);
}

}  // namespace tailgate
