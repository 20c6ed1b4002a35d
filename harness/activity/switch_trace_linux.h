// A Trace by the perf events of Linux: when threads of one's own were switched out and in. For
// users whom the kernel shows no more (perf_event_open(2); /proc/sys/kernel/perf_event_paranoid up
// to 2).
#pragma once

#include <memory>

#include "harness/activity/trace.h"

namespace tailgate::activity {

// Throws Error.
std::unique_ptr<Trace> start_switch_trace(const TraceOptions& options);

}  // namespace tailgate::activity
