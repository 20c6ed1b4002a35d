#include "harness/trial/scratch.h"

namespace tailgate {

// /tmp may be memory.
std::filesystem::path disk_folder() {
  return "/var/tmp";
}

}  // namespace tailgate
