// The ftrace sink: events written into the Linux kernel's trace buffer through trace_marker_raw or
// trace_marker, in an instance of its own.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& ftrace_sink();

}  // namespace tailgate
