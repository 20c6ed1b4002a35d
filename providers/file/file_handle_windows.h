// A file opened with CreateFileW, and the calls that several modes make on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "harness/base/api_windows.h"
#include "providers/sink.h"

namespace tailgate::file {

class FileHandle {
 public:
  // Opens an existing file with an access mask and further FILE_FLAG_ flags. Throws Error.
  FileHandle(const std::filesystem::path& path, DWORD access, DWORD flags);

  bool is_open() const { return handle_ != nullptr; }

  // One WriteFile at the current position, which in a file opened with FILE_APPEND_DATA alone is
  // its end. Returns 0 or a Windows error, ERROR_HANDLE_DISK_FULL for a part only.
  DWORD write(std::span<const std::byte> bytes) const noexcept;
  DWORD write_at(std::span<const std::byte> bytes, std::uint64_t offset_bytes) const noexcept;

  // FlushFileBuffers: 0 or a Windows error.
  DWORD flush() const noexcept;

  void close() { handle_.reset(); }

 private:
  Handle handle_;
};

// The refusal (refusal.h) of a Windows error, by the errno that means the same; zero gives
// kAccepted.
EmitStatus refusal_of_windows(DWORD error);

}  // namespace tailgate::file
