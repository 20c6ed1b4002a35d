// What all processors did in a stretch of time, for whoever wants to look at it.
#pragma once

#include <span>

#include "harness/activity/timeline.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

// Runs, interrupts and wakes of all processors, requests to storage, and the system calls and
// faults of `threads`, in [begin, end) of the timeline. At most 400 of each kind are listed, the
// first ones.
ActivityWindow activity_window(const Timeline& timeline, std::span<const std::uint32_t> threads,
                               Ticks begin, Ticks end);

}  // namespace tailgate::activity
