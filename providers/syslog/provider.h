// The two providers of the syslog sink.
#pragma once

#include <memory>

#include "harness/sink/sink.h"

namespace tailgate::syslog {

// Builds the datagrams itself and sends them over a connected socket.
std::unique_ptr<Provider> open_datagrams(const TrialContext& context);

// Calls the C library's syslog(3), which never reports that an event was not accepted.
std::unique_ptr<Provider> open_syslog3(const TrialContext& context);

}  // namespace tailgate::syslog
