#include <system_error>

#include "harness/os/remove_folder.h"

namespace tailgate {

bool remove_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::remove_all(folder, failed);
  return !failed;
}

}  // namespace tailgate
