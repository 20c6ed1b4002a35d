// What the ftrace sink needs from the operating system.
#pragma once

#include "providers/sink.h"

namespace tailgate::ftrace {

Probe probe(const Options& options);
void sweep();

// buffer_bytes and overwrite.
OptionTable buffer_options();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
std::unique_ptr<Consumer> open_consumer(const TrialContext& context);

}  // namespace tailgate::ftrace
