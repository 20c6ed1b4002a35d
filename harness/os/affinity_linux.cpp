#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <cerrno>

#include "harness/base/error.h"
#include "harness/os/affinity.h"

namespace tailgate {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void bind_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw system_error("sched_setaffinity", fmt::format("processors {}", fmt::join(cpus, ",")),
                       errno,
                       fmt::format("choose from the processors this process may use: {}",
                                   fmt::join(initial_cpus(), ",")));
  }
}

int current_cpu() {
  return sched_getcpu();
}

}  // namespace tailgate
