#include "harness/base/thread_switches.h"

namespace tailgate {

// Windows counts a thread's switches, but not by kind.
std::optional<SwitchCounts> thread_switches() {
  return {};
}

}  // namespace tailgate
