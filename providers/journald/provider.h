// The two providers of the journald sink.
#pragma once

#include <memory>

#include "harness/sink/sink.h"

namespace tailgate::journald {

// Builds the datagrams itself and sends them over a connected socket.
std::unique_ptr<Provider> open_native(const TrialContext& context);

// Calls libsystemd's sd_journal_send, or sd_journal_sendv for binary events.
std::unique_ptr<Provider> open_library(const TrialContext& context);

}  // namespace tailgate::journald
