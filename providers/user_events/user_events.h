// The user_events sink: an event that the program registers with the Linux kernel and writes into
// its trace buffer, read back from an instance of tracefs of its own.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& user_events_sink();

}  // namespace tailgate
