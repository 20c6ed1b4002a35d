#include "harness/trial/scratch.h"

namespace tailgate {

std::filesystem::path disk_folder() {
  return std::filesystem::temp_directory_path();
}

bool made_by_this_user(const std::filesystem::path&) {
  return true;
}

}  // namespace tailgate
