// The kernel's trace on Windows is an event tracing session, which providers/etw knows how to start
// and to read: it offers that here, so that this folder knows no sink.
#pragma once

#include <memory>

#include "harness/activity/trace.h"

namespace tailgate::activity {

struct KernelTraceOffer {
  // Starts recording. Throws Error when it cannot.
  std::unique_ptr<Trace> (*start)(const TraceOptions& options);
  // Whether it could.
  Probe (*probe)();
};

// From then on start_trace() and probe_trace() use it; before the first call of either.
void offer_kernel_trace(const KernelTraceOffer& offer);

}  // namespace tailgate::activity
