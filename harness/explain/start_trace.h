// Starts the best trace that this operating system and user offer.
#pragma once

#include <memory>

#include "harness/explain/trace.h"

namespace tailgate::activity {

// Starts recording. Throws Error if the method is not available here or fails to start;
// TraceMethod::best falls back to the next method instead.
std::unique_ptr<Trace> start_trace(const TraceOptions& options);

// Whether TraceMethod::best can explain slow calls in full here; if not, the reason also says what
// the fallback lacks.
Probe probe_trace();

}  // namespace tailgate::activity
