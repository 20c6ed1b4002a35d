// The etw sink's roles.
#pragma once

#include "providers/sink.h"

namespace tailgate::etw {

Probe probe(const Options& options);  // (session_windows.cpp)
void sweep();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
// Of the files that the session has finished.
std::unique_ptr<Consumer> open_file_consumer(const TrialContext& context);
// Of the session that kSessionVariable names, while it runs. (live_consumer_windows.cpp)
std::unique_ptr<Consumer> open_live_consumer(const TrialContext& context);

// Environment variable that tells provider and consumer the session's name.
inline constexpr const char* kSessionVariable = "TAILGATE_ETW_SESSION";

}  // namespace tailgate::etw
