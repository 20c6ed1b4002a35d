// Lists what all processors did during a period of time.
#pragma once

#include <span>

#include "harness/activity/timeline.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

// Lists the runs, interrupts and wakes of all processors, the storage requests, and the system
// calls and page faults of `threads`, in [begin, end) of the timeline. Lists the first 400 of each
// kind.
ActivityWindow activity_window(const Timeline& timeline, std::span<const std::uint32_t> threads,
                               Ticks begin, Ticks end);

}  // namespace tailgate::activity
