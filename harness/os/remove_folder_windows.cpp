// libstdc++'s remove_all() is of no use here: while a process holds a file in the folder open, it
// tries again without end.
#include "harness/os/api_windows.h"
#include "harness/os/remove_folder.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

void remove_entries_of(const fs::path& folder) {
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    remove_folder(at->path());
  }
}

}  // namespace

bool remove_folder(const fs::path& folder) {
  const DWORD attributes = GetFileAttributesW(folder.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    const DWORD error = GetLastError();
    return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND;
  }
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) return DeleteFileW(folder.c_str()) != 0;
  // A reparse point leads to another place, whose files stay.
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0) remove_entries_of(folder);
  return RemoveDirectoryW(folder.c_str()) != 0;
}

}  // namespace tailgate
