#include <fmt/format.h>
#include <unistd.h>

#include "harness/calls/memory_path.h"

namespace tailgate {

std::string memory_path(const SharedMemory& memory) {
  return fmt::format("/proc/{}/fd/{}", getpid(), memory.native());
}

}  // namespace tailgate
