// A kernel session's file as what harness/activity wants.
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/activity/timeline.h"
#include "harness/base/clock.h"
#include "harness/result/explanation.h"

namespace tailgate::etw {

struct KernelTraceFile {
  std::filesystem::path path;
  Clock clock;                 // the run clock
  std::uint64_t start_ns = 0;  // on it: just before the session was started …
  std::uint64_t end_ns = 0;    // … and just after it was stopped
  bool ended_early = false;    // the session was gone by then: the last record is its end
  // What the session counted when it was stopped; its file may say more.
  std::uint64_t events_lost = 0;
  std::uint64_t buffers_lost = 0;
};

// Feeds everything in the file to the timeline, which counts in nanoseconds of the run clock, and
// finishes it. Fills all of the result but system_calls. A file that cannot be read, or that is not
// on the run clock, gives method "none" and the reason in limits, and the timeline has nothing.
TraceUsed read_kernel_trace(const KernelTraceFile& trace, activity::Timeline& timeline);

}  // namespace tailgate::etw
