// Tailgate's own measurement of what cyclictest and sockperf measure.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/doctor/tool_output.h"
#include "harness/os/clock.h"

namespace tailgate {

// How late this thread wakes up from the sleeps that pace a load, one every period_ns. A wake-up
// that was missed is left out, as cyclictest does.
LatencySummary measure_wake_ups(const Clock& clock, std::uint64_t period_ns,
                                std::uint64_t duration_ns);

// Half the time that a datagram takes to another thread, which waits for it, and back (UDP on the
// loopback interface). Both run where this thread may. Throws Error. (machine_latency_linux.cpp)
LatencySummary measure_ping_pong(const Clock& clock, std::uint64_t duration_ns);

// The percentiles of such times, by the nearest rank. No times: all zero.
LatencySummary summary_of(std::vector<std::uint64_t> times_ns);

}  // namespace tailgate
