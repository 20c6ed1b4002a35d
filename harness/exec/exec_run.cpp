#include "harness/exec/exec_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "harness/os/process.h"
#include "harness/result/disturbance.h"
#include "harness/result/latency.h"
#include "harness/trial/interval_series.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

std::string calls_text(const CallList& calls) {
  return calls.functions.empty() ? std::string(means_name(calls.means)) : functions_text(calls);
}

std::string daemons_text(const ProgramPlan& plan) {
  std::vector<std::string> names;
  for (const WatchedProcess& daemon : plan.daemons) names.push_back(daemon.name);
  return fmt::format("{}", fmt::join(names, ","));
}

class ExecRun {
 public:
  ExecRun(const ExecRequest& request, const Environment& environment, const ExecObserver& observer)
      : request_(request),
        environment_(environment),
        observer_(observer),
        drift_(Clock(environment.trial.clock)) {
    const ProgramPlan& plan = request.plan;
    result_.id = random_id();
    result_.started_utc = utc_now();
    result_.label = environment.label;
    result_.scenario = {
        .name = kExecScenario,
        .preset = "",
        .options = {{"program", plan.command.front()},
                    {"arguments", fmt::format("{}", fmt::join(plan.command.begin() + 1,
                                                              plan.command.end(), " "))},
                    {"calls", calls_text(plan.calls)},
                    {"counts", plan.counts.string()},
                    {"daemons", daemons_text(plan)},
                    {"timeout_s", fmt::format("{:g}", plan.timeout_s)},
                    {"trials", fmt::format("{}", request.trials)}}};
    result_.sink.name = result_.sink.label = request.name;
    result_.placement = environment.placement;
    result_.machine = environment.machine;
    result_.build = environment.build;
    result_.explained = request.traced;
    refresh();
  }

  Result run() {
    observer_.changed(result_);
    while (result_.trials.size() < request_.trials && !InterruptFlag::raised()) {
      if (observer_.full(result_)) {
        result_.remarks.push_back(
            {fmt::format("the run ended after {} trials, because its result is as large as it may "
                         "be",
                         result_.trials.size()),
             "use fewer trials"});
        break;
      }
      run_pair();
    }
    refresh();
    return std::move(result_);
  }

 private:
  // Alternates which of the two trials runs first, so that an effect of the order does not affect
  // only the traced trials.
  void run_pair() {
    const auto index = static_cast<unsigned>(result_.trials.size());
    const bool traced_first = request_.traced && index % 2 == 1;
    if (traced_first) run_traced(index);
    if (InterruptFlag::raised()) return;
    result_.trials.push_back(run_trial(environment_.trial, index, fmt::format("{}", index)));
    fit_intervals(result_.trials, kRunIntervalBytes);
    result_.complete = result_.trials.size() == request_.trials &&
                       result_.trials.back().outcome != TrialOutcome::interrupted;
    refresh();
    observer_.trial_ended(result_);
    if (request_.traced && !traced_first && !InterruptFlag::raised()) run_traced(index);
  }

  void run_traced(unsigned index) {
    TrialSettings settings = environment_.trial;
    settings.trace = activity::TraceMethod::kernel_trace;
    result_.traced.push_back(run_trial(settings, index, fmt::format("traced-{}", index)));
    refresh();
    observer_.changed(result_);
  }

  Trial run_trial(const TrialSettings& settings, unsigned index, const std::string& name) {
    std::filesystem::path log = request_.logs;
    log += fmt::format(".{}.log", name);
    const std::filesystem::path directory = environment_.scratch / name;
    std::filesystem::create_directory(directory);
    Trial trial = run_program_trial(request_.plan, settings, directory, log,
                                    [this](double s) { observer_.progress(result_, s); });
    trial.index = index;
    trial.run = static_cast<std::uint32_t>(index + 1);
    return trial;
  }

  void refresh() {
    result_.finished_utc = utc_now();
    result_.summary = summarize(result_);
    result_.disturbance = disturbances(result_);
    result_.clock = describe_clock(environment_.trial.clock, drift_.read());
  }

  const ExecRequest& request_;
  const Environment& environment_;
  const ExecObserver& observer_;
  DriftMeter drift_;
  Result result_;
};

}  // namespace

Result run_exec(const ExecRequest& request, const Environment& environment,
                const ExecObserver& observer) {
  return ExecRun(request, environment, observer).run();
}

}  // namespace tailgate
