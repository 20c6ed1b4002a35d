#include "harness/os/api_windows.h"
#include "harness/os/file_lock.h"

namespace tailgate {

// The lock is the open file: a file opened without sharing cannot be opened again until it is
// closed.
std::optional<FileLock> FileLock::take(const std::filesystem::path& file, bool create) {
  constexpr DWORD kFlags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT;
  const HANDLE lock = CreateFileW(file.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, 0, nullptr,
                                  create ? OPEN_ALWAYS : OPEN_EXISTING, kFlags, nullptr);
  if (lock == INVALID_HANDLE_VALUE) return std::nullopt;
  return FileLock(reinterpret_cast<std::intptr_t>(lock), file);
}

void FileLock::remove() {
  FILE_DISPOSITION_INFO at_close{TRUE};
  if (native_ != -1) {
    SetFileInformationByHandle(reinterpret_cast<HANDLE>(native_), FileDispositionInfo, &at_close,
                               sizeof at_close);
  }
  release();
}

void FileLock::release() {
  if (native_ != -1) CloseHandle(reinterpret_cast<HANDLE>(std::exchange(native_, -1)));
}

}  // namespace tailgate
