#include "scenarios/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/base/process.h"
#include "harness/result/latency.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

// One run on its way through its steps and trials.
class Run {
 public:
  Run(RunRequest request, const RunEnvironment& environment)
      : request_(std::move(request)),
        environment_(environment),
        trials_per_step_(static_cast<std::size_t>(request_.options.integer("trials"))),
        drift_(Clock(environment.trial.clock)) {
    result_.id = random_id();
    result_.started_utc = utc_now();
    result_.label = environment.label;
    result_.scenario = {.name = request_.scenario->name(),
                        .preset = request_.preset,
                        .options = describe_options(request_.options)};
    result_.sink = describe_sink(request_.sink);
    result_.placement = environment.placement;
    result_.machine = environment.machine;
    result_.build = environment.build;
    if (!environment.trial.victim_cpus.empty()) {
      result_.remarks.push_back({"a victim kept the other processors busy",
                                 "do not compare the latencies with runs without --victim"});
    }
    plan_ = request_.scenario->next_step(request_.options, {});
    refresh();
  }

  bool over() const { return !plan_; }
  const Result& result() const { return result_; }

  // Seconds that the rest takes if no step is left out.
  double left_s() const {
    if (over()) return 0;
    const std::size_t steps = request_.scenario->most_steps(request_.options);
    const std::size_t left = (steps - before_.size()) * trials_per_step_ - in_step_;
    return static_cast<double>(left) * planned_trial_s(*plan_, environment_.trial);
  }

  const LoadPlan& plan() const { return *plan_; }

  // Of the last trial.
  void add_control(Trial control) {
    control.index = result_.trials.back().index;
    control.step = result_.trials.back().step;
    result_.controls.push_back(std::move(control));
    refresh();
  }

  void run_trial(const std::string& folder, const ProgressCallback& progress) {
    Trial trial = tailgate::run_trial(request_.sink, *plan_, environment_.trial,
                                      environment_.scratch / folder, progress);
    trial.index = static_cast<unsigned>(result_.trials.size());
    trial.step = static_cast<unsigned>(before_.size());
    const bool interrupted = trial.outcome == "interrupted";
    result_.trials.push_back(std::move(trial));
    ++in_step_;
    if (in_step_ == trials_per_step_ && !interrupted) end_step();
    refresh();
  }

 private:
  void end_step() {
    const std::vector<StepSummary> steps = summarize(result_);
    const StepSummary& step = steps.back();
    before_.push_back({.load = *plan_, .saturated = step.saturated, .failed = step.trials == 0});
    in_step_ = 0;
    plan_ = request_.scenario->next_step(request_.options, before_);
    result_.complete = !plan_;
  }

  void refresh() {
    result_.finished_utc = utc_now();
    result_.summary = summarize(result_);
    result_.clock = describe_clock(environment_.trial.clock, drift_.read());
  }

  RunRequest request_;
  const RunEnvironment& environment_;
  std::size_t trials_per_step_;
  DriftMeter drift_;
  Result result_;
  std::optional<LoadPlan> plan_;  // of the step at hand; nothing when the run is over
  std::vector<StepOutcome> before_;
  std::size_t in_step_ = 0;  // trials done in the step at hand
};

// About how long runs take together with the control trials that they share.
class TimePlan {
 public:
  // A run whose next load is `plan`, with that many seconds of trials.
  void add(const LoadPlan& plan, double run_s) {
    runs_s_ += run_s;
    const auto same = std::find_if(controls_.begin(), controls_.end(),
                                   [&](const auto& control) { return control.first == plan; });
    if (same == controls_.end()) {
      controls_.emplace_back(plan, run_s);
    } else {
      same->second = std::max(same->second, run_s);
    }
  }

  double total_s(bool with_controls) const {
    double total_s = runs_s_;
    for (const auto& [plan, control_s] : controls_) total_s += with_controls ? control_s : 0;
    return total_s;
  }

 private:
  double runs_s_ = 0;
  std::vector<std::pair<LoadPlan, double>> controls_;
};

double left_s(const std::vector<Run>& runs, bool controls) {
  TimePlan left;
  for (const Run& run : runs) {
    if (!run.over()) left.add(run.plan(), run.left_s());
  }
  return left.total_s(controls);
}

// The control trials of one turn, by their load.
class Controls {
 public:
  explicit Controls(const RunEnvironment& environment) : environment_(environment) {
    environment_.trial.consume = Consume::automatic;  // whatever the null sink can do
  }

  void next_turn() { trials_.clear(); }

  // The control trial of that load in this turn; runs it, in `folder`, if there is none yet.
  const Trial& trial(const LoadPlan& plan, const std::string& folder,
                     const ProgressCallback& progress) {
    for (const auto& [load, trial] : trials_) {
      if (load == plan) return trial;
    }
    Trial trial = run_trial(parse_sink_choice("null"), plan, environment_.trial,
                            environment_.scratch / folder, progress);
    // Nobody looks at these, and they are most of a trial's size.
    trial.intervals.clear();
    trial.slowest.clear();
    return trials_.emplace_back(plan, std::move(trial)).second;
  }

 private:
  RunEnvironment environment_;
  std::vector<std::pair<LoadPlan, Trial>> trials_;
};

}  // namespace

void check_request(const RunRequest& request, const TrialSettings& settings) {
  const Probe probe = request.sink.type->probe(request.sink.options);
  if (!probe.available) {
    throw Error(fmt::format("sink '{}' is not available: {}", request.sink.text, probe.reason),
                probe.remedy);
  }
  resolve_consume(request.sink, settings.consume);
  const std::optional<LoadPlan> plan = request.scenario->next_step(request.options, {});
  check_load(*plan);
  if (plan->threads > 1 && !request.sink.type->capabilities(request.sink.options).multi_threaded) {
    throw Error(fmt::format("sink '{}' takes events from one thread only, threads = {}",
                            request.sink.text, plan->threads),
                "set threads=1");
  }
}

double planned_s(const std::vector<RunRequest>& requests, const RunEnvironment& environment) {
  TimePlan total;
  for (const RunRequest& request : requests) {
    const std::optional<LoadPlan> plan = request.scenario->next_step(request.options, {});
    const auto trials = static_cast<double>(request.options.integer("trials"));
    const auto steps = static_cast<double>(request.scenario->most_steps(request.options));
    total.add(*plan, planned_trial_s(*plan, environment.trial) * trials * steps);
  }
  return total.total_s(environment.controls);
}

std::vector<Result> execute_runs(std::vector<RunRequest> requests,
                                 const RunEnvironment& environment, RunObserver& observer) {
  for (const RunRequest& request : requests) check_request(request, environment.trial);
  std::vector<Run> runs;
  for (RunRequest& request : requests) runs.emplace_back(std::move(request), environment);
  Controls controls(environment);
  std::size_t count = 0;
  bool any_left = true;
  while (any_left && !InterruptFlag::raised()) {
    any_left = false;
    controls.next_turn();
    for (Run& run : runs) {
      if (run.over() || InterruptFlag::raised()) continue;
      const double after_s = left_s(runs, environment.controls);
      const auto progress = [&](const TrialProgress& trial) {
        observer.progress(run.result(), trial, std::max(0.0, after_s - trial.elapsed_s));
      };
      const LoadPlan plan = run.plan();
      run.run_trial(fmt::format("trial-{}", count), progress);
      observer.trial_ended(run.result());
      if (environment.controls && !InterruptFlag::raised()) {
        run.add_control(controls.trial(plan, fmt::format("control-{}", count), progress));
        observer.control_ended(run.result());
      }
      ++count;
      any_left = true;
    }
  }
  std::vector<Result> results;
  for (const Run& run : runs) results.push_back(run.result());
  return results;
}

}  // namespace tailgate
