#include "harness/base/error.h"
#include "harness/os/install_paths.h"

namespace tailgate {
namespace {

struct Executable {
  std::error_code failed;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", failed);
};

// Read before main(): in the mount namespace of a session, which a process enters later, the link
// may name a path that is outside of its root.
const Executable kExecutable;

}  // namespace

std::filesystem::path executable_path() {
  if (kExecutable.failed) {
    throw system_error("readlink", "/proc/self/exe", kExecutable.failed.value(), "mount /proc");
  }
  return kExecutable.path;
}

}  // namespace tailgate
