// Sink "etw": Event Tracing for Windows. A provider of self-describing events, a session of the
// trial's own that writes them to a file, and tailgate's own reader of that file.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& etw_sink();

}  // namespace tailgate
