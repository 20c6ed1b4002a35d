#include <charconv>

#include "harness/os/api_windows.h"
#include "harness/os/shared_memory.h"

namespace tailgate {
namespace {

constexpr const char* kTooMuch = "free memory, or record with fewer threads or digits";
constexpr std::size_t kPageBytes = 4096;

HANDLE section_of(std::intptr_t native) {
  return reinterpret_cast<HANDLE>(native);
}

// Makes the pages present by reading them, which does not disturb a process that writes there
// already.
void touch_pages(const std::byte* data, std::size_t size_bytes) {
  for (std::size_t at = 0; at < size_bytes; at += kPageBytes) {
    static_cast<void>(static_cast<const volatile std::byte*>(data)[at]);
  }
}

std::byte* map(HANDLE section, const std::string& what) {
  void* address = MapViewOfFile(section, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
  if (address == nullptr) throw windows_error("MapViewOfFile", what, GetLastError(), kTooMuch);
  return static_cast<std::byte*>(address);
}

}  // namespace

SharedMemory SharedMemory::create(std::size_t size_bytes) {
  const std::string what = std::to_string(size_bytes) + " bytes of shared memory";
  SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, nullptr, TRUE};
  // Commits the memory, so that a lack of memory is an error here and not a crash at the first use.
  Handle section(CreateFileMappingW(INVALID_HANDLE_VALUE, &inheritable, PAGE_READWRITE | SEC_COMMIT,
                                    static_cast<DWORD>(size_bytes >> 32),
                                    static_cast<DWORD>(size_bytes), nullptr));
  if (!section) throw windows_error("CreateFileMappingW", what, GetLastError(), kTooMuch);
  std::byte* data = map(section.get(), what);
  touch_pages(data, size_bytes);
  return SharedMemory(data, size_bytes, reinterpret_cast<std::intptr_t>(section.release()));
}

SharedMemory SharedMemory::open_inherited(const std::string& handle) {
  std::intptr_t native = 0;
  const char* end = handle.data() + handle.size();
  const auto [stop, error] = std::from_chars(handle.data(), end, native);
  const Error none("'" + handle + "' is not an inherited shared memory handle",
                   "this command is for tailgate's own use; start a run with 'tailgate run'");
  if (error != std::errc() || stop != end || native <= 0) throw none;
  void* address = MapViewOfFile(section_of(native), FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, 0);
  if (address == nullptr) throw none;
  // The section does not report its size; the view's size is the same, rounded up to pages.
  MEMORY_BASIC_INFORMATION view = {};
  VirtualQuery(address, &view, sizeof view);
  auto* data = static_cast<std::byte*>(address);
  touch_pages(data, view.RegionSize);
  SetHandleInformation(section_of(native), HANDLE_FLAG_INHERIT, 0);
  return SharedMemory(data, view.RegionSize, native);
}

SharedMemory::~SharedMemory() {
  if (data_ == nullptr) return;
  UnmapViewOfFile(data_);
  CloseHandle(section_of(native_));
}

std::string SharedMemory::handle() const {
  return std::to_string(native_);
}

// A process may lock no more memory than its minimum working set, so that is raised first.
bool SharedMemory::lock() {
  SIZE_T smallest = 0;
  SIZE_T largest = 0;
  if (GetProcessWorkingSetSize(GetCurrentProcess(), &smallest, &largest) == 0) return false;
  return SetProcessWorkingSetSize(GetCurrentProcess(), smallest + size_bytes_,
                                  largest + size_bytes_) != 0 &&
         VirtualLock(data_, size_bytes_) != 0;
}

}  // namespace tailgate
