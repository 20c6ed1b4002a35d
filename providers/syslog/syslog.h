// The syslog sink: an rsyslogd of our own, written to over its local socket.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& syslog_sink();

}  // namespace tailgate
