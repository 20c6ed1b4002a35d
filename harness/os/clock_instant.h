// Converts times of the operating system's raw monotonic clock to the run clock.
#pragma once

#include <cstdint>

#include "harness/os/clock.h"

namespace tailgate {

// The same instant read from both clocks.
struct ClockInstant {
  std::uint64_t os_ns = 0;
  std::uint64_t run_ns = 0;
};

// Reads both clocks within as short a time as is possible.
ClockInstant clock_instant(const Clock& clock);

// The run clock's time at os_ns, by linear interpolation between two instants or beyond them; 0 for
// a time before the run clock's zero.
std::uint64_t run_time_ns(std::uint64_t os_ns, const ClockInstant& begin, const ClockInstant& end);

}  // namespace tailgate
