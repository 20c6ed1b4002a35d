#include "harness/overhead/taken_time.h"

namespace tailgate {

// Windows tells neither how long a thread waited for a processor nor what a hypervisor took, and
// counts a thread's time in ticks.
std::optional<ThreadTimes> thread_times(int, std::uint32_t) {
  return {};
}

std::optional<std::uint64_t> stolen_ns(int) {
  return {};
}

bool thread_time_leaves_out_stolen_alone() {
  return false;
}

}  // namespace tailgate
