// A file opened with CreateFileW, with the calls that several modes share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "harness/os/api_windows.h"
#include "harness/sink/sink.h"

namespace tailgate::file {

class FileHandle {
 public:
  // Opens an existing file with an access mask and additional FILE_FLAG_ flags. Throws Error.
  FileHandle(const std::filesystem::path& path, DWORD access, DWORD flags);

  bool is_open() const { return handle_ != nullptr; }

  // One WriteFile at the current position, which is the end if the file was opened with
  // FILE_APPEND_DATA alone. Returns 0 or a Windows error; ERROR_HANDLE_DISK_FULL when only a part
  // was written.
  DWORD write(std::span<const std::byte> bytes) const noexcept;
  DWORD write_at(std::span<const std::byte> bytes, std::uint64_t offset_bytes) const noexcept;

  // Calls FlushFileBuffers. Returns 0 or a Windows error.
  DWORD flush() const noexcept;

  void close() { handle_.reset(); }

 private:
  Handle handle_;
};

// The refusal (refusal.h) for a Windows error: that of the errno with the same meaning; zero gives
// kAccepted.
EmitStatus refusal_of_windows(DWORD error);

}  // namespace tailgate::file
