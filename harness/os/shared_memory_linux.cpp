#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "harness/base/error.h"
#include "harness/os/shared_memory.h"

namespace tailgate {
namespace {

std::byte* map(int file, std::size_t size_bytes) {
  void* address =
      mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (address == MAP_FAILED) {
    throw system_error("mmap", std::to_string(size_bytes) + " bytes of shared memory", errno,
                       "free memory, or record with fewer threads or digits");
  }
  return static_cast<std::byte*>(address);
}

}  // namespace

SharedMemory SharedMemory::create(std::size_t size_bytes) {
  const int file = memfd_create("tailgate", MFD_CLOEXEC);
  if (file < 0) throw system_error("memfd_create", "tailgate", errno, "raise the file limit");
  // Reserves the pages now: a lack of memory is an error here instead of a SIGBUS later.
  const int reserved = posix_fallocate(file, 0, static_cast<off_t>(size_bytes));
  if (reserved != 0) {
    close(file);
    throw system_error("posix_fallocate", std::to_string(size_bytes) + " bytes of shared memory",
                       reserved, "free memory, or record with fewer threads or digits");
  }
  try {
    return SharedMemory(map(file, size_bytes), size_bytes, file);
  } catch (...) {
    close(file);
    throw;
  }
}

SharedMemory SharedMemory::open_inherited(const std::string& handle) {
  int file = -1;
  const char* end = handle.data() + handle.size();
  const auto [stop, error] = std::from_chars(handle.data(), end, file);
  struct stat status;
  if (error != std::errc() || stop != end || fstat(file, &status) != 0 || status.st_size <= 0) {
    throw Error("'" + handle + "' is not an inherited shared memory handle",
                "this command is for tailgate's own use; start a run with 'tailgate run'");
  }
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  return SharedMemory(map(file, size_bytes), size_bytes, file);
}

SharedMemory::~SharedMemory() {
  if (data_ == nullptr) return;
  munmap(data_, size_bytes_);
  close(static_cast<int>(native_));
}

std::string SharedMemory::handle() const {
  return std::to_string(native_);
}

bool SharedMemory::lock() {
  return mlock(data_, size_bytes_) == 0;
}

}  // namespace tailgate
