// Runs scenarios against sinks: plans the steps, takes the runs' trials in turn so that a change
// of the machine's mood falls on all of them alike, and builds one result a run. In each turn the
// loads also run on the null sink, once for all runs that want the same load: what those control
// trials cost is what the harness costs. Where slow calls are to be explained, each trial has a
// traced one beside it, after it in one turn and before it in the next.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/result/result.h"
#include "harness/trial/controller.h"
#include "scenarios/scenario.h"

namespace tailgate {

// One run that was asked for.
struct RunRequest {
  const Scenario* scenario;
  Options options;
  SinkChoice sink;
  std::string preset;  // empty when the scenario was named directly
};

// What all runs of one command share.
struct RunEnvironment {
  TrialSettings trial;
  Placement placement;
  Machine machine;
  Build build;
  std::string label;              // Result::label
  std::filesystem::path scratch;  // exists; each trial gets a folder in it
  bool controls = true;           // run the same load on the null sink beside each trial
  bool explain = false;           // and once more under a trace
};

// Told what happens; for progress, and for writing results as they grow.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // During a trial, some hundred times a second. left_s: about how long everything still takes.
  virtual void progress(const Result& run, const TrialProgress& trial, double left_s) = 0;
  // After each trial; run.complete tells whether it was the last.
  virtual void trial_ended(const Result& run) = 0;
  // After the control trial of the last trial.
  virtual void control_ended(const Result& run) = 0;
  // After a traced trial.
  virtual void traced_ended(const Result& run) = 0;
};

// Runs all trials of all requests. An interrupt by the user ends the trial at hand and leaves the
// results as they are, their `complete` false. Throws Error when a plan is impossible (before any
// trial has run) or a trial cannot be set up.
std::vector<Result> execute_runs(std::vector<RunRequest> requests,
                                 const RunEnvironment& environment, RunObserver& observer);

// About how long the requests take together if no scenario stops early, in seconds; runs that
// begin with the same load are taken to share all their control trials.
double planned_s(const std::vector<RunRequest>& requests, const RunEnvironment& environment);

// Throws Error when a request's first step is not a possible load or its sink is not available
// with these options.
void check_request(const RunRequest& request, const TrialSettings& settings);

}  // namespace tailgate
