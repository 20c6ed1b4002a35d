// Runs scenarios on sinks and builds one result per run. Plans the steps and interleaves the runs'
// trials, so that changes of the machine's state affect all runs equally: each repetition has one
// trial of every run. Each repetition also runs every load on the null sink, once for all runs with
// the same load; these control trials show the harness's own cost. If slow calls are explained,
// each trial is paired with a traced trial, which runs after it in one repetition and before it in
// the next. A scenario's step that missed its rate by the machine's fault is run again, where the
// scenario has several steps (attempts.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"
#include "harness/run/environment.h"
#include "harness/run/scenario.h"
#include "harness/trial/processes/controller.h"

namespace tailgate {

// One requested run.
struct RunRequest {
  const Scenario* scenario;
  Options options;
  SinkChoice sink;
  std::string preset;                     // empty if the scenario was named directly
  std::vector<TrialAction> actions = {};  // of a preset; empty: the scenario's own
  const Scenario* judge = nullptr;        // of the trials; null: the scenario itself
  // For a scenario that gives the sink options in some steps; null: it must give none.
  const SinkCatalog* sinks = nullptr;
  // What the run measured before it was interrupted, if it is to go on.
  std::optional<Result> earlier = {};
};

// What else runs for each trial.
struct Companions {
  // The sink of control trials, which run the same load to show the harness's own cost; nothing: no
  // control trials.
  std::optional<SinkChoice> control_sink;
  bool traced = false;  // run the same trial again under a trace, to explain slow calls
};

// Where a run is.
struct RunProgress {
  const Result& run;
  std::size_t trial = 1;    // that is running, from 1
  std::size_t trials = 1;   // of the run, if no step is left out or run again
  Load load;                // of that trial
  std::size_t attempt = 1;  // at the step, from 1
  double left_s = 0;        // estimated time left for everything
};

// Is notified during runs, to show progress and to write results as they grow.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Called about a hundred times a second during a trial.
  virtual void progress(const RunProgress& run, const TrialProgress& trial) = 0;
  // Called after each trial.
  virtual void trial_ended(const Result& run) = 0;
  // Called before a step is run again. takers: who took the processor from the load so far.
  virtual void runs_again(const RunProgress& run, const std::string& takers) = 0;
  // Called when the result changed otherwise: before the first trial of all, after a control or
  // traced trial, at the end of a step, and after the run ended early.
  virtual void changed(const Result& run) = 0;
  // Called before each trial: returns whether the result has no room for another one. The run then
  // ends with a remark, and is not complete.
  virtual bool full(const Result& run) = 0;
};

// Runs all trials of all requests. An interrupt by the user ends the current trial and returns the
// results so far, with `complete` false. Throws Error if a plan is impossible (before any trial
// runs) or a trial cannot be set up.
std::vector<Result> execute_runs(std::vector<RunRequest> requests, const Environment& environment,
                                 const Companions& companions, RunObserver& observer);

// Returns about how many seconds the requests take together if no scenario stops early or runs a
// step again. Assumes
// that runs that begin with the same load share all their control trials.
double planned_s(const std::vector<RunRequest>& requests, const TrialSettings& settings,
                 const Companions& companions);

// Whether the request's sink is available, with the options that the scenario gives it, too.
Probe probe_request(const RunRequest& request);

// Throws Error unless the request can go on with that result: of a scenario that can be resumed,
// with the same options and sink, on the same machine, by the same build, and not complete.
void check_resumable(const RunRequest& request, const Result& earlier, const Machine& machine,
                     const Build& build);

// Throws Error if a request's first step is not a possible load, or if its sink is not available
// with these options.
void check_request(const RunRequest& request, const TrialSettings& settings);

}  // namespace tailgate
