// Sink "eventlog": the Windows Event Log. A provider that reports events by the classic call, a
// source (and log) that the session registers and removes, and a consumer by the modern interface.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& eventlog_sink();

}  // namespace tailgate
