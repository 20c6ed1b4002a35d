// The eventlog sink's options, and the names that its three roles share in one trial.
#pragma once

#include <string>

#include "harness/base/options.h"
#include "harness/sink/sink.h"

namespace tailgate::eventlog {

OptionTable options();

// The log that the events go to: Windows' "Application", or "Tailgate".
std::string log_name(const Options& options);
inline constexpr const char* kOwnLog = "Tailgate";

// The source under which the trial's events are reported. Its name is made from the trial's
// directory.
std::string source_name(const TrialContext& context);
inline constexpr const char* kSourcePrefix = "tailgate-";

}  // namespace tailgate::eventlog
