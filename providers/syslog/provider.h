// The two ways to rsyslogd's socket.
#pragma once

#include <memory>

#include "providers/sink.h"

namespace tailgate::syslog {

// Datagrams of our own making, on a connected socket.
std::unique_ptr<Provider> open_datagrams(const TrialContext& context);

// Through the C library's syslog(3), which never says that an event was not taken.
std::unique_ptr<Provider> open_syslog3(const TrialContext& context);

}  // namespace tailgate::syslog
