#include "harness/overhead/taken_time.h"

namespace tailgate {

// Windows tells neither how long a thread waited for a processor nor what a hypervisor took.
std::optional<ThreadTimes> thread_times(int, std::uint32_t) {
  return {};
}

std::optional<std::uint64_t> stolen_ns(int) {
  return {};
}

}  // namespace tailgate
