// The parts of the lttng sink that need LTTng: *_linux.cpp, or tracer_missing.cpp in a build
// without it.
#pragma once

#include <memory>

#include "providers/sink.h"

namespace tailgate::lttng_detail {

// Where the session has its daemons put the trace, in the trial's directory.
std::filesystem::path trace_folder(const TrialContext& context);

// "discard", "overwrite" or "block": option `loss`, which a snapshot session has a default of its
// own for.
std::string loss_mode(const Options& options);

Probe probe_tracer();
std::unique_ptr<Session> make_session(const TrialContext& context);
// Throws Error.
std::unique_ptr<Provider> open_provider(const TrialContext& context);

}  // namespace tailgate::lttng_detail
