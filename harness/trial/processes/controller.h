// The controller's part of a trial: starts the session and the two processes, watches them, and
// builds the trial's part of the result from what happened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"
#include "harness/trial/load.h"
#include "harness/trial/settings.h"

namespace tailgate {

struct TrialProgress {
  std::string what;      // "load", "read back" …
  double elapsed_s = 0;  // since the trial began
  double planned_s = 0;
  int provider_pid = 0;  // 0 before it has started
  // At a checkpoint, the trial as if it had been interrupted then; else null.
  const Trial* so_far = nullptr;
};
using ProgressCallback = std::function<void(const TrialProgress&)>;

// Runs one trial in `directory`, which must not exist yet and is removed afterwards. A failure of
// the sink or of a process is an outcome of the trial, not an exception. Throws Error only if the
// trial cannot be set up (no memory, no folder).
Trial run_trial(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
                const std::filesystem::path& directory, const ProgressCallback& progress);

// Returns about how many seconds a trial takes, for progress and time limits.
double planned_trial_s(const LoadPlan& load, const TrialSettings& settings);

}  // namespace tailgate
