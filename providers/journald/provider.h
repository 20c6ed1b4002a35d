// The two ways into the journal.
#pragma once

#include <memory>

#include "providers/sink.h"

namespace tailgate::journald {

// Datagrams of our own making, on a connected socket.
std::unique_ptr<Provider> open_native(const TrialContext& context);

// Through libsystemd's sd_journal_send, or sd_journal_sendv for binary events.
std::unique_ptr<Provider> open_library(const TrialContext& context);

}  // namespace tailgate::journald
