// A Trace that uses Linux perf events: it records when the user's own threads were switched out and
// in. For users without root, if /proc/sys/kernel/perf_event_paranoid is at most 2
// (perf_event_open(2)).
#pragma once

#include <memory>

#include "harness/explain/trace.h"

namespace tailgate::activity {

// Starts recording. Throws Error if it cannot.
std::unique_ptr<Trace> start_switch_trace(const TraceOptions& options);

}  // namespace tailgate::activity
