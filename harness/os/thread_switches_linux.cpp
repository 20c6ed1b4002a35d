#include <sys/resource.h>

#include "harness/os/thread_switches.h"

namespace tailgate {

std::optional<SwitchCounts> thread_switches() {
  rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return {};
  return SwitchCounts{static_cast<std::uint64_t>(usage.ru_nvcsw),
                      static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

}  // namespace tailgate
