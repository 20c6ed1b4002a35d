// The journald sink: systemd's journal, written over its native protocol, by a daemon of our own.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& journald_sink();

}  // namespace tailgate
