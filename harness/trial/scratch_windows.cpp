#include "harness/trial/scratch.h"

namespace tailgate {

std::filesystem::path disk_folder() {
  return std::filesystem::temp_directory_path();
}

}  // namespace tailgate
