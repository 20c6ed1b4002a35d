// One trial of a program that tailgate did not load: starts it, watches it, and makes the trial's
// part of the result from what its calls left in shared memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/overhead/sampler.h"
#include "harness/result/result.h"
#include "harness/trial/settings.h"

namespace tailgate {

struct ProgramPlan {
  std::vector<std::string> command;     // the program and its arguments
  CallList calls;                       // as choose_means() returned it for the program
  std::filesystem::path counts;         // a line of it is an event that arrived; empty: none
  std::vector<WatchedProcess> daemons;  // that run anyway and work for the program
  double timeout_s = 600;
};

// elapsed_s: since the program began.
using ProgramProgress = std::function<void(double elapsed_s)>;

// Runs the program once. directory: exists, for temporary files. log: takes what it prints. How the
// program ends is an outcome of the trial. Throws Error if it cannot be started.
Trial run_program_trial(const ProgramPlan& plan, const TrialSettings& settings,
                        const std::filesystem::path& directory, const std::filesystem::path& log,
                        const ProgramProgress& progress);

}  // namespace tailgate
