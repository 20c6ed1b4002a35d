#include "harness/run/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/os/process.h"
#include "harness/result/disturbance.h"
#include "harness/result/latency.h"
#include "harness/run/attempts.h"
#include "harness/trial/action_times.h"
#include "harness/trial/collector.h"
#include "harness/trial/interval_series.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

std::vector<TrialAction> actions_of(const RunRequest& request, std::size_t step) {
  return request.actions.empty() ? request.scenario->actions(request.options, step)
                                 : request.actions;
}

// The sink of a step: the user's, with the options that the scenario gives it there.
SinkChoice sink_of(const RunRequest& request, std::size_t step) {
  const std::vector<std::string> options = request.scenario->sink_options(request.options, step);
  if (options.empty()) return request.sink;
  std::string text = request.sink.text;
  for (const std::string& option : options) text += ":" + option;
  return request.sinks->choice(text);
}

// A scenario may want none. A control trial is not killed or stopped, and no kernel event is on in
// it, so it is no floor under trials that are.
bool has_controls(const RunRequest& request) {
  return request.scenario->wants_controls() && actions_of(request, 0).empty() &&
         !request.scenario->kernel_group(request.options, 0);
}

// What a run measured before it was interrupted: each of its trials is a step.
std::vector<StepOutcome> earlier_steps(const RunRequest& request) {
  std::vector<StepOutcome> steps;
  if (!request.earlier) return steps;
  for (const Trial& trial : request.earlier->trials) {
    steps.push_back({.load = {}, .trials = {step_trial(trial)}});
  }
  return steps;
}

// The state of one run: its steps and trials so far.
class Run {
 public:
  Run(RunRequest request, const Environment& environment, bool traced, std::size_t interval_bytes)
      : request_(std::move(request)),
        interval_bytes_(interval_bytes),
        environment_(environment),
        sink_(request_.sink),
        settings_(settings_for(request_.sink, environment.trial)),
        drift_(Clock(settings_.clock)) {
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
    result_.explained = traced;
    settings_.watch_storage = request_.scenario->asks_for_storage();
    settings_.end_limits = request_.scenario->end_limits(request_.options);
    settings_.checkpoint_s = request_.scenario->checkpoint_s(request_.options);
    before_ = earlier_steps(request_);
    trials_before_ = before_.size();
    if (request_.earlier) go_on_from(*std::exchange(request_.earlier, std::nullopt));
    plan_next_step();
    refresh();
  }

  bool over() const { return !plan_; }
  const Result& result() const { return result_; }
  Result take_result() && { return std::move(result_); }

  // Returns the estimated time left in seconds if no step is omitted, without control and traced
  // trials.
  double left_s() const {
    if (over()) return 0;
    const std::size_t steps = request_.scenario->max_steps(request_.options);
    const std::size_t left =
        (std::max(steps, before_.size() + 1) - before_.size()) * trials_of_step_ - in_step_;
    return static_cast<double>(left) * planned_trial_s(*plan_, settings_);
  }

  const LoadPlan& plan() const { return *plan_; }

  // The user interrupts, or there is no room for another trial: what the current step has of its
  // trials is kept.
  void end_early() {
    attempts_.end(result_, step(), false);
    fit_intervals(result_.trials, interval_bytes_);
    refresh();
  }

  void end_as_full() {
    end_early();
    plan_.reset();
    result_.remarks.push_back(
        {fmt::format("the run ended after {} trials, because results are as large as they may be",
                     result_.trials.size()),
         "use less of --trials, --slowest or --digits, or several runs"});
    refresh();
  }

  // Adds the control trial of the last trial.
  void add_control(Trial control) {
    control.index = result_.trials.back().index;
    control.step = result_.trials.back().step;
    result_.controls.push_back(std::move(control));
    refresh();
  }

  // Runs the traced trial that is paired with the trial of that index.
  void run_traced(const LoadPlan& plan, unsigned index, const std::string& folder,
                  const ProgressCallback& progress) {
    TrialSettings settings = settings_;
    settings.trace = activity::TraceMethod::best;
    Trial trial =
        tailgate::run_trial(sink_, plan, settings, environment_.scratch / folder, progress);
    trial.index = index;
    trial.step = step();
    trial.intervals.clear();  // they are most of its size, and the untraced trial has them
    result_.traced.push_back(std::move(trial));
    refresh();
  }

  void run_trial(const std::string& folder, const ProgressCallback& progress) {
    Trial trial =
        tailgate::run_trial(sink_, *plan_, settings_, environment_.scratch / folder, progress);
    trial.index = static_cast<unsigned>(result_.trials.size());
    trial.step = step();
    if (trial.outcome != TrialOutcome::interrupted) ++in_step_;
    result_.trials.push_back(std::move(trial));
    fit_intervals(result_.trials, interval_bytes_);
    refresh();
  }

  // The result as it is to be written while a trial runs.
  Result with_checkpoint(const Trial& so_far) const {
    Result result = result_;
    Trial& trial = result.trials.emplace_back(so_far);
    trial.index = static_cast<unsigned>(result_.trials.size());
    trial.step = step();
    fit_intervals(result.trials, interval_bytes_);
    refresh(result);
    return result;
  }

  bool has_controls() const { return tailgate::has_controls(request_); }

  // Whether the current step has all of its trials.
  bool step_is_full() const { return !over() && in_step_ == trials_of_step_; }

  // Ends the current step, once its last trial has its control and traced trials. Returns whether
  // it is run again instead (see StepAttempts).
  bool end_step() {
    in_step_ = 0;
    // Nothing follows from what a scenario's only step reached.
    const bool has_steps = request_.scenario->max_steps(request_.options) > 1;
    const bool again = has_steps && attempts_.run_again(result_, step());
    if (!again) go_on();
    refresh();
    return again;
  }

  // Who took the processor from the attempts at the current step.
  std::string takers() const { return attempts_.takers(); }

  // Where the run is: at the trial that runs next.
  RunProgress progress() const {
    const std::size_t steps = request_.scenario->max_steps(request_.options);
    return {.run = result_,
            .trial = trials_before_ + in_step_ + 1,
            .trials = trials_before_ + (steps - before_.size()) * trials_of_step_,
            .load = describe_load(*plan_),
            .attempt = attempts_.number()};
  }

 private:
  unsigned step() const { return static_cast<unsigned>(before_.size()); }

  // Takes over what a run measured before it was interrupted.
  void go_on_from(Result earlier) {
    result_.id = std::move(earlier.id);
    const std::string resumed_utc = std::exchange(result_.started_utc, earlier.started_utc);
    result_.trials = std::move(earlier.trials);
    result_.remarks = std::move(earlier.remarks);
    result_.resumed = std::move(earlier.resumed);
    if (!result_.resumed) result_.resumed.emplace();
    result_.resumed->push_back({.trial = static_cast<unsigned>(result_.trials.size()),
                                .stopped_utc = earlier.finished_utc,
                                .resumed_utc = resumed_utc});
  }

  void go_on() {
    attempts_.end(result_, step(), true);
    fit_intervals(result_.trials, interval_bytes_);
    refresh();
    const StepSummary& summary = result_.summary.back();
    StepOutcome outcome{.load = *plan_,
                        .saturated = summary.saturated,
                        .by_machine = summary.saturated_by_machine.value_or(false),
                        .failed = summary.trials == 0};
    for (const Trial& trial : result_.trials) {
      if (trial.step == step()) outcome.trials.push_back(step_trial(trial));
    }
    before_.push_back(std::move(outcome));
    trials_before_ += trials_of_step_;
    plan_next_step();
  }

  void plan_next_step() {
    const Scenario& scenario = *request_.scenario;
    while ((plan_ = scenario.next_step(request_.options, before_)) &&
           why_not_shared(request_.sink, *plan_)) {
      before_.push_back({.load = *plan_, .failed = true, .not_taken = true});
    }
    result_.complete = !plan_;
    if (!plan_) return;
    trials_of_step_ = scenario.trials(request_.options, before_);
    settings_.actions = actions_of(request_, before_.size());
    sink_ = sink_of(request_, before_.size());
    settings_.kernel_group = scenario.kernel_group(request_.options, before_.size());
  }

  void refresh() { refresh(result_); }

  void refresh(Result& result) const {
    result.finished_utc = utc_now();
    result.summary = summarize(result);
    result.disturbance = disturbances(result);
    result.clock = describe_clock(settings_.clock, drift_.read());
    const Scenario& judge = request_.judge != nullptr ? *request_.judge : *request_.scenario;
    if (!result.trials.empty()) result.answer = judge.answer(result);
  }

  RunRequest request_;
  std::size_t interval_bytes_;  // that the intervals of all its trials may take
  const Environment& environment_;
  SinkChoice sink_;  // of the current step
  TrialSettings settings_;
  std::size_t trials_of_step_ = 1;  // of the current one
  DriftMeter drift_;
  Result result_;
  std::optional<LoadPlan> plan_;  // of the current step; nothing if the run is over
  std::vector<StepOutcome> before_;
  std::size_t trials_before_ = 0;  // in all of these steps
  std::size_t in_step_ = 0;        // trials done in the current attempt at the current step
  StepAttempts attempts_;
};

// Estimates how long runs take together with their traced trials and shared control trials.
class TimePlan {
 public:
  explicit TimePlan(const Companions& companions)
      : controls_wanted_(companions.control_sink), traced_too_(companions.traced) {}

  // Adds a run whose next load is `plan` and whose trials take run_s seconds.
  void add(const LoadPlan& plan, double run_s, bool has_controls) {
    runs_s_ += traced_too_ ? 2 * run_s : run_s;
    if (!has_controls) return;
    const auto same = std::find_if(controls_.begin(), controls_.end(),
                                   [&](const auto& control) { return control.first == plan; });
    if (same == controls_.end()) {
      controls_.emplace_back(plan, run_s);
    } else {
      same->second = std::max(same->second, run_s);
    }
  }

  double total_s() const {
    double total_s = runs_s_;
    for (const auto& [plan, control_s] : controls_) total_s += controls_wanted_ ? control_s : 0;
    return total_s;
  }

 private:
  bool controls_wanted_;
  bool traced_too_;
  double runs_s_ = 0;
  std::vector<std::pair<LoadPlan, double>> controls_;
};

double left_s(const std::vector<Run>& runs, const Companions& companions) {
  TimePlan left(companions);
  for (const Run& run : runs) {
    if (!run.over()) left.add(run.plan(), run.left_s(), run.has_controls());
  }
  return left.total_s();
}

// The control trials of one repetition, by load.
class Controls {
 public:
  Controls(const Environment& environment, std::optional<SinkChoice> sink)
      : settings_(environment.trial), scratch_(environment.scratch), sink_(std::move(sink)) {
    settings_.consumer = std::nullopt;  // depends on the sink
  }

  void next_repetition() { trials_.clear(); }

  // Returns the control trial of that load in this repetition. Runs it in `folder` if there is
  // none yet.
  const Trial& trial(const LoadPlan& plan, const std::string& folder,
                     const ProgressCallback& progress) {
    for (const auto& [load, trial] : trials_) {
      if (load == plan) return trial;
    }
    Trial trial = run_trial(*sink_, plan, settings_, scratch_ / folder, progress);
    // Nothing reads these, and they are most of a trial's size.
    trial.intervals.clear();
    trial.slowest.clear();
    return trials_.emplace_back(plan, std::move(trial)).second;
  }

 private:
  TrialSettings settings_;
  const std::filesystem::path& scratch_;
  std::optional<SinkChoice> sink_;
  std::vector<std::pair<LoadPlan, Trial>> trials_;
};

}  // namespace

namespace {

// The user's, and those of the first steps: a scenario that gives the sink options does so in one
// of its first two.
std::vector<SinkChoice> sinks_of(const RunRequest& request) {
  return {request.sink, sink_of(request, 0), sink_of(request, 1)};
}

}  // namespace

namespace {

bool same(const std::vector<Setting>& a, const std::vector<Setting>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.value == y.value;
  });
}

}  // namespace

Probe probe_request(const RunRequest& request) {
  Probe probe;
  for (const SinkChoice& sink : sinks_of(request)) {
    probe = sink.type->probe(sink.options);
    if (!probe.available) break;
  }
  return probe;
}

void check_resumable(const RunRequest& request, const Result& earlier, const Machine& machine,
                     const Build& build) {
  const std::string run = fmt::format("{}@{}", request.scenario->name(), request.sink.text);
  if (!request.scenario->can_resume()) {
    throw Error(fmt::format("the scenario '{}' cannot be resumed", request.scenario->name()),
                "leave --resume out; --force replaces its result");
  }
  if (earlier.sink.label != describe_sink(request.sink).label ||
      !same(earlier.scenario.options, describe_options(request.options))) {
    throw Error(fmt::format("the result of '{}' has other options", run),
                "give the same --sink and --set as before");
  }
  if (earlier.machine.fingerprint != machine.fingerprint ||
      earlier.build.version != build.version || earlier.build.revision != build.revision) {
    throw Error(fmt::format("the result of '{}' is of another machine or build", run),
                "go on where it began, or name another folder with --out");
  }
}

void check_request(const RunRequest& request, const TrialSettings& settings) {
  if (const Probe probe = probe_request(request); !probe.available) {
    throw Error(fmt::format("sink '{}' is not available: {}", request.sink.text, probe.reason),
                probe.remedy);
  }
  const std::optional<LoadPlan> plan = request.scenario->next_step(request.options, {});
  check_load(*plan);
  check_actions(actions_of(request, 0), *plan);
  for (const SinkChoice& sink : sinks_of(request)) {
    consumer_mode(sink, settings.consumer);
    check_sink_load(sink, *plan);
  }
}

double planned_s(const std::vector<RunRequest>& requests, const TrialSettings& settings,
                 const Companions& companions) {
  TimePlan total(companions);
  for (const RunRequest& request : requests) {
    const std::vector<StepOutcome> before = earlier_steps(request);
    const std::optional<LoadPlan> plan = request.scenario->next_step(request.options, before);
    if (!plan) continue;
    const auto trials = static_cast<double>(request.scenario->trials(request.options, before));
    const auto steps = static_cast<double>(request.scenario->max_steps(request.options));
    total.add(*plan, planned_trial_s(*plan, settings) * trials * steps, has_controls(request));
  }
  return total.total_s();
}

namespace {

// Runs repetitions: a trial of each run that is not over, with its control and traced trials.
class Repetitions {
 public:
  Repetitions(const Environment& environment, const Companions& companions, RunObserver& observer)
      : companions_(companions),
        observer_(observer),
        controls_(environment, companions.control_sink) {}

  // Runs the next repetition; returns whether any run had a trial left.
  bool run_next(std::vector<Run>& runs) {
    bool any = false;
    controls_.next_repetition();
    for (Run& run : runs) {
      if (run.over() || InterruptFlag::raised()) continue;
      if (observer_.full(run.result())) {
        run.end_as_full();
        observer_.changed(run.result());
        continue;
      }
      any = true;
      const double after_s = left_s(runs, companions_);
      run_beside(run, [this, after_s, place = run.progress()](const TrialProgress& trial) mutable {
        place.left_s = std::max(0.0, after_s - trial.elapsed_s);
        observer_.progress(place, trial);
      });
      ++count_;
      if (run.step_is_full()) end_step(run);
    }
    return any;
  }

 private:
  void end_step(Run& run) {
    if (run.end_step()) observer_.runs_again(run.progress(), run.takers());
    observer_.changed(run.result());
  }

  // Alternates which of the two trials runs first, so that an effect of the order does not affect
  // only the traced trials.
  void run_beside(Run& run, const ProgressCallback& progress) {
    const LoadPlan plan = run.plan();
    const auto index = static_cast<unsigned>(run.result().trials.size());
    const bool traced_first = index % 2 == 1;
    if (traced_first) trace(run, plan, index, progress);
    if (InterruptFlag::raised()) return;
    run.run_trial(fmt::format("trial-{}", count_), [&](const TrialProgress& trial) {
      if (trial.so_far == nullptr) return progress(trial);
      observer_.changed(run.with_checkpoint(*trial.so_far));
    });
    observer_.trial_ended(run.result());
    if (!traced_first) trace(run, plan, index, progress);
    if (!companions_.control_sink || !run.has_controls() || InterruptFlag::raised()) return;
    run.add_control(controls_.trial(plan, fmt::format("control-{}", count_), progress));
    observer_.changed(run.result());
  }

  void trace(Run& run, const LoadPlan& plan, unsigned index, const ProgressCallback& progress) {
    if (!companions_.traced || InterruptFlag::raised()) return;
    run.run_traced(plan, index, fmt::format("traced-{}", count_), progress);
    observer_.changed(run.result());
  }

  const Companions& companions_;
  RunObserver& observer_;
  Controls controls_;
  std::size_t count_ = 0;
};

}  // namespace

std::vector<Result> execute_runs(std::vector<RunRequest> requests, const Environment& environment,
                                 const Companions& companions, RunObserver& observer) {
  for (const RunRequest& request : requests) check_request(request, environment.trial);
  const std::size_t interval_bytes =
      std::min(kRunIntervalBytes, kAllIntervalBytes / std::max<std::size_t>(1, requests.size()));
  std::vector<Run> runs;
  for (RunRequest& request : requests) {
    runs.emplace_back(std::move(request), environment, companions.traced, interval_bytes);
  }
  for (const Run& run : runs) observer.changed(run.result());
  Repetitions repetitions(environment, companions, observer);
  while (!InterruptFlag::raised() && repetitions.run_next(runs)) {
  }
  for (Run& run : runs) {
    if (run.over()) continue;
    run.end_early();
    observer.changed(run.result());
  }
  std::vector<Result> results;
  for (Run& run : runs) results.push_back(std::move(run).take_result());
  return results;
}

}  // namespace tailgate
