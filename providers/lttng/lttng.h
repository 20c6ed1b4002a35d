// The lttng sink: LTTng-UST, the tracer that writes events of programs into buffers per CPU, from
// which a consumer daemon takes them to files. The counterpart of Event Tracing for Windows.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& lttng_sink();

}  // namespace tailgate
