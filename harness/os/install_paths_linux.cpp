#include "harness/base/error.h"
#include "harness/os/install_paths.h"

namespace tailgate {

std::filesystem::path executable_path() {
  std::error_code failed;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (failed) {
    throw system_error("readlink", "/proc/self/exe", failed.value(), "mount /proc");
  }
  return path;
}

}  // namespace tailgate
