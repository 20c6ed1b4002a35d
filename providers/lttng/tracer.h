// The session and the provider of the lttng sink.
#pragma once

#include <memory>

#include "harness/sink/sink.h"

namespace tailgate::lttng_detail {

Probe probe_tracer();
std::unique_ptr<Session> make_session(const TrialContext& context);
// Throws Error.
std::unique_ptr<Provider> open_provider(const TrialContext& context);

}  // namespace tailgate::lttng_detail
