// Windows has no such limits on open files and locked memory; its job objects' quotas and its page
// file's use are not asked.
#include "harness/os/limits.h"

#include "harness/os/api_windows.h"

namespace tailgate {
namespace {

std::optional<bool> is_elevated() {
  HANDLE opened = nullptr;
  if (OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened) == 0) return {};
  const Handle token(opened);
  TOKEN_ELEVATION elevation = {};
  DWORD size = 0;
  if (GetTokenInformation(token.get(), TokenElevation, &elevation, sizeof elevation, &size) == 0) {
    return {};
  }
  return elevation.TokenIsElevated != 0;
}

}  // namespace

SystemLimits read_system_limits() {
  SystemLimits limits;
  limits.administrator = is_elevated();
  MEMORYSTATUSEX memory = {};
  memory.dwLength = sizeof memory;
  if (GlobalMemoryStatusEx(&memory) != 0) limits.available_bytes = memory.ullAvailPhys;
  return limits;
}

std::optional<bool> is_in_memory(const std::filesystem::path&) {
  return {};
}

}  // namespace tailgate
