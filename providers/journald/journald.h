// The journald sink: systemd's journal, written over its native protocol, by a daemon of our own.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& journald_sink();

// Known in every build, so that a preset which names them loads where the sink is missing, too.
OptionTable journald_options();

}  // namespace tailgate
