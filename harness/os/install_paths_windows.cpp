#include "harness/os/api_windows.h"
#include "harness/os/install_paths.h"

namespace tailgate {

std::filesystem::path executable_path() {
  std::wstring path(MAX_PATH, L'\0');
  while (true) {
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (length == 0) {
      throw windows_error("GetModuleFileNameW", "tailgate", GetLastError(), "install it again");
    }
    if (length < path.size()) return path.substr(0, length);
    path.resize(2 * path.size());  // the path was truncated
  }
}

}  // namespace tailgate
