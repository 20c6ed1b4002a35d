#include "harness/os/clock_instant.h"

#include <algorithm>

namespace tailgate {

ClockInstant clock_instant(const Clock& clock) {
  ClockInstant best;
  for (std::uint64_t width = ~std::uint64_t{0}, attempt = 0; attempt < 20; ++attempt) {
    const std::uint64_t before = clock_detail::os_monotonic_ns();
    const std::uint64_t run_ns = clock.now_after_ns();
    const std::uint64_t after = clock_detail::os_monotonic_ns();
    if (after - before >= width) continue;
    width = after - before;
    best = {before + width / 2, run_ns};
  }
  return best;
}

std::uint64_t run_time_ns(std::uint64_t os_ns, const ClockInstant& begin, const ClockInstant& end) {
  const auto since = static_cast<double>(static_cast<std::int64_t>(os_ns - begin.os_ns));
  const auto os = static_cast<double>(end.os_ns - begin.os_ns);
  const auto run = static_cast<double>(end.run_ns - begin.run_ns);
  const double at = static_cast<double>(begin.run_ns) + (os > 0 ? since * run / os : 0);
  // A damaged record may hold any time.
  if (!(at > 0)) return 0;
  return static_cast<std::uint64_t>(std::min(at, 9e18));
}

}  // namespace tailgate
