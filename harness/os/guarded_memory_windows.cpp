#include <string>

#include "harness/base/error.h"
#include "harness/os/api_windows.h"
#include "harness/os/guarded_memory.h"

namespace tailgate {

GuardedMemory::GuardedMemory(std::size_t size_bytes) {
  SYSTEM_INFO system;
  GetSystemInfo(&system);
  const std::size_t page_bytes = system.dwPageSize;
  usable_bytes_ = (size_bytes + page_bytes - 1) / page_bytes * page_bytes;
  all_bytes_ = usable_bytes_ + page_bytes;
  void* address = VirtualAlloc(nullptr, all_bytes_, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  DWORD before = 0;
  if (address == nullptr || VirtualProtect(static_cast<std::byte*>(address) + usable_bytes_,
                                           page_bytes, PAGE_NOACCESS, &before) == 0) {
    throw windows_error("VirtualAlloc", std::to_string(all_bytes_) + " bytes", GetLastError(),
                        "free memory");
  }
  data_ = static_cast<std::byte*>(address);
}

GuardedMemory::~GuardedMemory() {
  VirtualFree(data_, 0, MEM_RELEASE);
}

}  // namespace tailgate
