// The kernel's own events beside a traced trial: a private system logger session, whose file is
// read into harness/activity.
#pragma once

#include <memory>

#include "harness/activity/trace.h"

namespace tailgate::etw {

// Starts the session: process, thread, img, cswitch, dispatcher, dpc, isr, pf, hf, diskio,
// diskioinit, syscall, of the whole machine. Throws Error, with what to do; no session is left
// then.
std::unique_ptr<activity::Trace> start_kernel_trace(const activity::TraceOptions& options);

// Whether that can be expected to work here.
Probe probe_kernel_trace();

}  // namespace tailgate::etw
