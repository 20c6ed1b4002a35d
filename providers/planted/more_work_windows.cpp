#include <array>

#include "harness/os/api_windows.h"
#include "providers/planted/more_work.h"

namespace tailgate {
namespace {

constexpr std::array<char, BlockFile::kBlockBytes> kBlock{};

}  // namespace

void make_system_call() noexcept {
  DWORD handles = 0;
  GetProcessHandleCount(GetCurrentProcess(), &handles);
}

BlockFile::BlockFile(const std::filesystem::path& path)
    : file_(reinterpret_cast<std::intptr_t>(CreateFileW(path.c_str(), GENERIC_WRITE,
                                                        FILE_SHARE_READ | FILE_SHARE_DELETE,
                                                        nullptr, CREATE_ALWAYS, 0, nullptr))) {
  if (reinterpret_cast<HANDLE>(file_) == INVALID_HANDLE_VALUE) {
    throw windows_error("CreateFileW", path.string(), GetLastError(),
                        "choose another --scratch folder");
  }
}

BlockFile::~BlockFile() {
  CloseHandle(reinterpret_cast<HANDLE>(file_));
}

void BlockFile::write_block() noexcept {
  OVERLAPPED at_start{};
  DWORD written = 0;
  if (WriteFile(reinterpret_cast<HANDLE>(file_), kBlock.data(), DWORD{BlockFile::kBlockBytes},
                &written, &at_start) == 0) {
    failed_.store(true, std::memory_order_relaxed);
  }
}

void BlockFile::sync() noexcept {
  if (FlushFileBuffers(reinterpret_cast<HANDLE>(file_)) == 0) {
    failed_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace tailgate
