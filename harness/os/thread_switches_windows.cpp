#include "harness/os/thread_switches.h"

namespace tailgate {

// Windows counts a thread's switches, but does not separate voluntary from involuntary ones.
std::optional<SwitchCounts> thread_switches() {
  return {};
}

}  // namespace tailgate
