// The Windows API, without the parts and macros that get in the way, and what goes with it.
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

// Error for a failed call, like system_error() for an errno: appends the call, its target and what
// Windows says about `code`, a value of GetLastError().
// Shape: "CreateFileW('C:\x') failed: Access is denied. (Windows error 5)".
Error windows_error(const std::string& call, const std::string& target, DWORD code,
                    const std::string& remedy);

struct HandleCloser {
  void operator()(HANDLE handle) const { CloseHandle(handle); }
};
// Empty for both of the values by which Windows' calls say that there is no handle.
class Handle : public std::unique_ptr<void, HandleCloser> {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle)
      : std::unique_ptr<void, HandleCloser>(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
};

// A count of 100 ns, such as times of processes.
inline std::uint64_t ns_of(const FILETIME& time) {
  return ((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime) * 100;
}

// Between UTF-8 and UTF-16; what is not valid becomes U+FFFD.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

}  // namespace tailgate
