// The etw sink's probe, session, provider and consumers.
#pragma once

#include "harness/sink/sink.h"

namespace tailgate::etw {

Probe probe(const Options& options);  // in session_windows.cpp
void sweep();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
// Reads the files after the session has stopped.
std::unique_ptr<Consumer> open_file_consumer(const TrialContext& context);
// Reads the session that kSessionVariable names while it runs. (live_consumer_windows.cpp)
std::unique_ptr<Consumer> open_live_consumer(const TrialContext& context);

// The environment variable with the session's name, for the provider and the consumer.
inline constexpr const char* kSessionVariable = "TAILGATE_ETW_SESSION";

}  // namespace tailgate::etw
