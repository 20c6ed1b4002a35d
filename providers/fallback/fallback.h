// Sink "fallback": one sink, and another in its place when the first cannot be started; as programs
// do that log by way of ETW, and to the Event Log where they may not start a session.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& fallback_sink();

}  // namespace tailgate
