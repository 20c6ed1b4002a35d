#include "harness/os/api_windows.h"
#include "harness/os/private_folder.h"

namespace tailgate {

void make_private_folder(const std::filesystem::path& folder) {
  if (CreateDirectoryW(folder.c_str(), nullptr) != 0) return;
  throw windows_error("CreateDirectoryW", folder.string(), GetLastError(),
                      "name a folder that you may write to");
}

}  // namespace tailgate
