#include "harness/doctor/machine_latency.h"

#include <algorithm>
#include <cmath>

#include "harness/os/sleep.h"

namespace tailgate {

LatencySummary summary_of(std::vector<std::uint64_t> times_ns) {
  if (times_ns.empty()) return {};
  std::sort(times_ns.begin(), times_ns.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(times_ns.size()));
    return static_cast<double>(times_ns[static_cast<std::size_t>(std::max(1.0, rank)) - 1]);
  };
  return {.count = times_ns.size(), .p50_ns = at(0.5), .p99_ns = at(0.99), .max_ns = at(1)};
}

LatencySummary measure_wake_ups(const Clock& clock, std::uint64_t period_ns,
                                std::uint64_t duration_ns) {
  std::vector<std::uint64_t> late_ns;
  late_ns.reserve(duration_ns / period_ns + 1);
  const std::uint64_t end_ns = clock.now_ns() + duration_ns;
  std::uint64_t due_ns = clock.now_ns() + period_ns;
  while (due_ns < end_ns) {
    std::uint64_t now_ns = clock.now_ns();
    if (now_ns < due_ns) {
      sleep_for_ns(due_ns - now_ns);
      now_ns = clock.now_ns();
      late_ns.push_back(now_ns > due_ns ? now_ns - due_ns : 0);
    }
    due_ns += period_ns;
  }
  return summary_of(std::move(late_ns));
}

}  // namespace tailgate
