// The etw sink's roles.
#pragma once

#include "providers/sink.h"

namespace tailgate::etw {

// With any of these options. (session_windows.cpp)
Probe probe();
void sweep();

std::unique_ptr<Session> make_session(const TrialContext& context);
std::unique_ptr<Provider> open_provider(const TrialContext& context);
// Of the file that the session has finished.
std::unique_ptr<Consumer> open_consumer(const TrialContext& context);

}  // namespace tailgate::etw
