// A Trace that uses the Linux kernel's trace buffer, through its own tracefs instance. Needs root.
#pragma once

#include <memory>

#include "harness/explain/trace.h"

namespace tailgate::activity {

// Starts recording. Throws Error if it cannot.
std::unique_ptr<Trace> start_kernel_trace(const TraceOptions& options);

}  // namespace tailgate::activity
