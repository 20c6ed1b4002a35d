// What the user_events sink needs from the operating system.
#pragma once

#include "providers/sink.h"

namespace tailgate::user_events {

Probe probe();
void sweep();
OptionTable options();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
std::unique_ptr<Consumer> open_consumer(const TrialContext& context);

}  // namespace tailgate::user_events
