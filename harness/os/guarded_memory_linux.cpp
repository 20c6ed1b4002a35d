#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "harness/base/error.h"
#include "harness/os/guarded_memory.h"

namespace tailgate {

GuardedMemory::GuardedMemory(std::size_t size_bytes) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  usable_bytes_ = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  all_bytes_ = usable_bytes_ + page_bytes;
  void* address =
      mmap(nullptr, all_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED ||
      mprotect(static_cast<std::byte*>(address) + usable_bytes_, page_bytes, PROT_NONE) != 0) {
    throw system_error("mmap", std::to_string(all_bytes_) + " bytes", errno, "free memory");
  }
  data_ = static_cast<std::byte*>(address);
}

GuardedMemory::~GuardedMemory() {
  munmap(data_, all_bytes_);
}

}  // namespace tailgate
