// Converts times of a session's clock to the run clock, when both count the same thing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "harness/activity/records.h"
#include "harness/etl/log_header.h"
#include "harness/os/clock.h"

namespace tailgate::etl {

class RunTimes {
 public:
  // header: of a session on this machine since its boot. The session's clock must be the
  // processor's cycles if the run clock is the TSC, else the performance counter. Throws Error when
  // it is another clock or the header's rate is impossible.
  RunTimes(const LogFileHeader& header, const Clock& clock);

  // The time on the run clock in ns; 0 for times before the run clock's zero. Damaged times
  // saturate.
  activity::Ticks time_ns(std::int64_t raw) const {
    if (raw < 0) return 0;
    const auto ticks = static_cast<std::uint64_t>(raw);
    return saturated(clock_.ns_from_ticks(cycles_ ? ticks : ns_of(ticks)));
  }

  // A duration in ticks of the performance counter, in ns; 0 when negative. Disk response times are
  // in these ticks on every session clock, by the documentation of DiskIo_TypeGroup1.
  activity::Ticks counter_ns(std::int64_t ticks) const {
    return ticks < 0 ? 0 : saturated(ns_of(static_cast<std::uint64_t>(ticks)));
  }

  // The session's start on the run clock.
  activity::Ticks start_ns() const { return start_ns_; }

  // Throws Error unless the session began between the two times, with a second of slack: if it did
  // not, its times come from another clock, even if the header names the right one.
  void check_start(std::uint64_t from_ns, std::uint64_t to_ns) const;

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
