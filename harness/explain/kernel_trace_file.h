// Converts the file of a kernel session for harness/activity.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/activity/timeline.h"
#include "harness/os/clock.h"
#include "harness/result/explanation.h"

namespace tailgate::etw {

struct KernelTraceFile {
  std::filesystem::path path;
  Clock clock;                 // the run's clock
  std::uint64_t start_ns = 0;  // run clock, just before the session was started …
  std::uint64_t end_ns = 0;    // … and just after it was stopped
  bool ended_early = false;    // the session had ended before its stop: its last record is its end
  // The session's counts at its stop; the file may report more.
  std::uint64_t events_lost = 0;
  std::uint64_t buffers_lost = 0;
};

// Feeds all records of the file to the timeline, in nanoseconds of the run clock, and finishes it.
// Fills every field of the result except system_calls. When the file cannot be read or is not on
// the run clock, the result has method "none" and the reason in limits, and the timeline stays
// empty.
TraceUsed read_kernel_trace(const KernelTraceFile& trace, activity::Timeline& timeline);

}  // namespace tailgate::etw
