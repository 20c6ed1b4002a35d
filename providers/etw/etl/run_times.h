// From a session's clock to the run clock, where both count the same thing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "harness/activity/records.h"
#include "harness/base/clock.h"
#include "providers/etw/etl/log_header.h"

namespace tailgate::etl {

class RunTimes {
 public:
  // header: of a session on this machine since it was started. Its clock has to be the processor's
  // cycles where the run clock is the TSC, else the performance counter. Throws Error when it is
  // another, or the header's rate cannot be right.
  RunTimes(const LogFileHeader& header, const Clock& clock);

  // ns on the run clock of a time on the session's; 0 for what was before the run clock's zero.
  // Damaged times saturate.
  activity::Ticks time_ns(std::int64_t raw) const {
    if (raw < 0) return 0;
    const auto ticks = static_cast<std::uint64_t>(raw);
    return saturated(clock_.ns_from_ticks(cycles_ ? ticks : ns_of(ticks)));
  }

  // ns of a duration in ticks of the performance counter, whatever the session's clock is; 0 when
  // negative. Response times of disks are such, by the documentation of DiskIo_TypeGroup1.
  activity::Ticks counter_ns(std::int64_t ticks) const {
    return ticks < 0 ? 0 : saturated(ns_of(static_cast<std::uint64_t>(ticks)));
  }

  // When the session began.
  activity::Ticks start_ns() const { return start_ns_; }

 private:
  static activity::Ticks saturated(std::uint64_t ns) {
    constexpr std::uint64_t kMost = std::numeric_limits<activity::Ticks>::max();
    return static_cast<activity::Ticks>(std::min(ns, kMost));
  }
  std::uint64_t ns_of(std::uint64_t counter_ticks) const;

  Clock clock_;
  bool cycles_;
  std::uint64_t counter_hz_;
  activity::Ticks start_ns_;
};

}  // namespace tailgate::etl
