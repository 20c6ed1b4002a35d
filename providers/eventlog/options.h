// The eventlog sink's options, and what its roles agree on for one trial.
#pragma once

#include <string>

#include "harness/base/options.h"
#include "providers/sink.h"

namespace tailgate::eventlog {

OptionTable options();

// The log that events go to: Windows' "Application", or "Tailgate".
std::string log_name(const Options& options);
inline constexpr const char* kOwnLog = "Tailgate";

// The source that the trial's events are reported under: its own, from the trial's directory.
std::string source_name(const TrialContext& context);
inline constexpr const char* kSourcePrefix = "tailgate-";

}  // namespace tailgate::eventlog
