// Records the kernel's events during a traced trial in a system logger session of tailgate's own.
// Its file is read into harness/activity.
#pragma once

#include <memory>

#include "harness/explain/trace.h"

namespace tailgate::etw {

// Starts the session, which records for the whole machine: process, thread, img, cswitch,
// dispatcher, dpc, isr, pf, hf, diskio, diskioinit, syscall, fileio, fileioinit. Throws Error with
// a remedy and then leaves no session.
std::unique_ptr<activity::Trace> start_kernel_trace(const activity::TraceOptions& options);

}  // namespace tailgate::etw
