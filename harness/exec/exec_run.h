// Measures a program that tailgate did not load: several trials of it make one result, as of a run
// of a scenario on a sink.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "harness/exec/program_trial.h"
#include "harness/result/result.h"
#include "harness/run/environment.h"

namespace tailgate {

// The scenario's name in results.
inline constexpr const char* kExecScenario = "exec";

struct ExecRequest {
  std::string name;  // what to call the program, as a sink's
  ProgramPlan plan;
  unsigned trials = 3;
  bool traced = false;         // run each trial again under a trace, to explain slow calls
  std::filesystem::path logs;  // of trial N: LOGS.N.log, of traced ones LOGS.traced-N.log
};

struct ExecObserver {
  std::function<void(const Result&, double elapsed_s)> progress;  // a hundred times a second
  std::function<void(const Result&)> trial_ended;
  std::function<void(const Result&)> changed;  // before the first trial, after traced ones
  std::function<bool(const Result&)> full;     // the result has no room for another trial
};

// Runs the trials. The user's interrupt ends the current one; the result is not complete then.
// Throws Error as run_program_trial does.
Result run_exec(const ExecRequest& request, const Environment& environment,
                const ExecObserver& observer);

}  // namespace tailgate
