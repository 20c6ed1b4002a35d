// Includes the Windows API without conflicting parts and macros, and adds helpers for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// After the C++ library, which may define these itself.
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include "harness/base/error.h"

namespace tailgate {

// Returns an Error for a failed call, like system_error() for an errno. Its text has the call, its
// target and Windows' message for `code`, a value of GetLastError(): "CreateFileW('C:\x') failed:
// Access is denied. (Windows error 5)".
Error windows_error(const std::string& call, const std::string& target, DWORD code,
                    const std::string& remedy);

struct HandleCloser {
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
// Owns a handle. Empty for null and for INVALID_HANDLE_VALUE, which both mean that there is no
// handle.
class Handle : public std::unique_ptr<void, HandleCloser> {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle)
      : std::unique_ptr<void, HandleCloser>(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
};

// Converts a FILETIME duration, such as a process's CPU time, from units of 100 ns.
inline std::uint64_t ns_of(const FILETIME& time) {
  return ((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime) * 100;
}

// Convert between UTF-8 and UTF-16; invalid parts become U+FFFD.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

}  // namespace tailgate
