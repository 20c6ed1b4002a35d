// The eventlog sink's probe, session, provider and consumer.
#pragma once

#include "harness/sink/sink.h"

namespace tailgate::eventlog {

Probe probe(const Options& options);  // in session_windows.cpp
void sweep();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
std::unique_ptr<Consumer> open_consumer(const TrialContext& context);

}  // namespace tailgate::eventlog
