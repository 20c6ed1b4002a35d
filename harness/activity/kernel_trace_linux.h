// A Trace by the Linux kernel's trace buffer, in an instance of tracefs of its own. Needs root.
#pragma once

#include <memory>

#include "harness/activity/trace.h"

namespace tailgate::activity {

// Throws Error.
std::unique_ptr<Trace> start_kernel_trace(const TraceOptions& options);

}  // namespace tailgate::activity
