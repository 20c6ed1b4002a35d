// The syslog sink: an rsyslogd of our own, written to over its local socket.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& syslog_sink();

// Known in every build, so that a preset which names them loads where the sink is missing, too.
OptionTable syslog_options();

}  // namespace tailgate
