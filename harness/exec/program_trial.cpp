#include "harness/exec/program_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "harness/base/error.h"
#include "harness/calls/call_memory.h"
#include "harness/exec/arrivals.h"
#include "harness/exec/call_floor.h"
#include "harness/exec/call_outcome.h"
#include "harness/exec/call_timing.h"
#include "harness/exec/choose_means.h"
#include "harness/exec/program_process.h"
#include "harness/exec/program_trace.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/result/latency.h"
#include "harness/trial/collector.h"
#include "harness/trial/interval_series.h"
#include "harness/trial/neighbour_meter.h"
#include "harness/trial/noise.h"
#include "harness/trial/overhead_meter.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

constexpr std::chrono::milliseconds kPollInterval{5};
// Calls kept per thread of a traced trial, in which those beyond the 99.9th percentile are
// explained; how many there will be is not known before.
constexpr std::uint32_t kTracedCalls = 1024;

CallMemoryPlan memory_plan(const TrialSettings& settings) {
  const std::uint32_t slowest = settings.trace ? kTracedCalls : settings.slowest;
  return {.slowest = std::max(slowest, 1u), .clock = settings.clock};
}

class ProgramTrial {
 public:
  ProgramTrial(const ProgramPlan& plan, const TrialSettings& settings,
               const std::filesystem::path& directory, const std::filesystem::path& log,
               const ProgramProgress& progress)
      : plan_(plan),
        settings_(settings),
        directory_(directory),
        log_(log),
        progress_(progress),
        clock_(settings.clock),
        memory_(memory_plan(settings)),
        overhead_(settings.clock, directory,
                  [this] { return LoadCounts{.events = memory_.counts().finished}; }),
        neighbours_(clock_, settings.load_cpus, {}),
        last_times_{Histogram(CallMemory::range()), Histogram(CallMemory::range())} {
    trial_.load.shape = Shape::max;
    trial_.program.emplace();
    trial_.program->means = means_name(plan.calls.means);
    trial_.program->log = log.string();
  }

  Trial run() {
    look_at_neighbours(0);
    measure_surroundings();
    const Arrivals arrivals(plan_.counts);
    CallTiming timing(plan_.calls, program_path(plan_.command.front()), memory_, settings_.clock,
                      directory_);
    ProgramProcess program({.command = plan_.command,
                            .environment = timing.environment(),
                            .log = log_,
                            .cpus = settings_.load_cpus});
    timing.watch(program.pid());
    if (settings_.trace) start_trace(program.pid());
    const std::string name = std::filesystem::path(plan_.command.front()).filename().string();
    overhead_.watch({Role::provider, name, program.pid(), true});
    for (const WatchedProcess& daemon : plan_.daemons) overhead_.watch(daemon);
    trial_.started_utc = utc_now();
    look_at_neighbours(program.pid());
    overhead_.begin();
    begin_ns_ = clock_.now_ns();
    program.begin();
    watch(program);
    timing.stop();
    if (trace_) trace_->stop();
    cut(overhead_.end());
    look_at_neighbours(program.pid());
    set_outcome(program.end());
    collect();
    arrivals.count(trial_, plan_.calls.means != CallMeans::none && !are_lost());
    judge_arrivals();
    return std::move(trial_);
  }

 private:
  void look_at_neighbours(int program) {
    std::vector<int> own = {program};
    for (const WatchedProcess& daemon : plan_.daemons) own.push_back(daemon.pid);
    neighbours_.look(own);
  }

  void start_trace(int program) {
    ProgramTracePlan plan{.method = *settings_.trace,
                          .clock = clock_,
                          .directory = directory_,
                          .processes = {{profile::SampledRole::provider, program}},
                          .sample_hz = settings_.sample_hz};
    for (const WatchedProcess& daemon : plan_.daemons) {
      plan.processes.push_back({profile::SampledRole::daemons, daemon.pid});
    }
    trace_.emplace(plan);
  }

  // On the program's first processor, as the program will run.
  void measure_surroundings() {
    std::thread([this] {
      if (!settings_.load_cpus.empty()) bind_this_thread({settings_.load_cpus.front()});
      const auto noise_ns = static_cast<std::uint64_t>(settings_.noise_s * 1e9);
      trial_.noise = noise_of(observe_noise(clock_, noise_ns));
    }).join();
    trial_.floor = measure_call_floor(plan_.calls, {program_path(plan_.command.front())},
                                      settings_.clock, settings_.load_cpus, directory_);
  }

  void watch(const ProgramProcess& program) {
    const auto began = std::chrono::steady_clock::now();
    const auto interval_ns = static_cast<std::uint64_t>(settings_.interval_s * 1e9);
    std::uint64_t next_cut_ns = begin_ns_ + interval_ns;
    while (!program.ended_within(kPollInterval)) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
      if (InterruptFlag::raised()) {
        return end_as(TrialOutcome::interrupted, "by the user");
      }
      if (elapsed.count() > plan_.timeout_s) {
        return end_as(TrialOutcome::hung, fmt::format("not ended after {:g} s", plan_.timeout_s));
      }
      if (clock_.now_ns() >= next_cut_ns) {
        cut(overhead_.cut());
        next_cut_ns += interval_ns;
      }
      progress_(elapsed.count());
    }
  }

  // Ends an interval. Once the memory is damaged there are no more.
  void cut(std::vector<RoleUse> roles) {
    if (damaged_) return;
    try {
      CallTimes times = memory_.times();
      Histogram service = times.service;
      Histogram response = times.response;
      service.subtract(last_times_.service);
      response.subtract(last_times_.response);
      const std::uint64_t now_ns = clock_.now_ns();
      intervals_.add({.start_ns = last_cut_ns_ == 0 ? begin_ns_ : last_cut_ns_,
                      .end_ns = now_ns,
                      .service = make_latency(service),
                      .response = make_latency(response),
                      .roles = std::move(roles)});
      last_cut_ns_ = now_ns;
      last_times_ = std::move(times);
    } catch (const Error& error) {
      damaged_ = error;
    }
  }

  // Only the first call has an effect.
  void end_as(TrialOutcome outcome, const std::string& detail) {
    if (outcome_) return;
    outcome_ = outcome;
    trial_.outcome_detail = detail;
  }

  void set_outcome(const ChildEnd& end) {
    trial_.program->ended_by = end.text();
    if (!end.exited) {
      end_as(end.killed() ? TrialOutcome::killed : TrialOutcome::crashed, end.text());
    } else if (end.code != 0) {
      end_as(TrialOutcome::failed, end.text());
    }
  }

  void collect() {
    const CallCounts counts = memory_.counts();
    collect_counts(counts);
    try {
      if (damaged_) throw *damaged_;
      const CallTimes times = memory_.times();
      trial_.measured = times.service.total_count();
      trial_.service = make_latency(times.service);
      trial_.response = make_latency(times.response);
      trial_.program->calls_with_due = times.with_due;
      trial_.slowest = memory_.slowest();
    } catch (const Error& error) {
      end_as(TrialOutcome::failed, error.what_failed());
      add_remark(error.what_failed(), error.remedy());
    }
    trial_.intervals = intervals_.take();
    if (intervals_.joined_each() > 1) trial_.remarks.push_back(joined_remark(trial_.intervals));
    overhead_.report(trial_);
    neighbours_.report(trial_);
    if (trace_) explain();
    trial_.slowest.resize(std::min<std::size_t>(
        trial_.slowest.size(), std::size_t{settings_.slowest} * std::max(1u, trial_.load.threads)));
    set_rate(counts);
    if (plan_.calls.means != CallMeans::none && counts.finished == 0) {
      end_as(TrialOutcome::failed, why_no_call(plan_.calls, memory_));
    }
    trial_.outcome = outcome_.value_or(TrialOutcome::completed);
    add_remarks(counts);
  }

  void collect_counts(const CallCounts& counts) {
    ProgramUse& program = *trial_.program;
    for (std::size_t kind = 0; kind < kCallKinds; ++kind) {
      if (counts.kinds[kind] == 0 && kind >= plan_.calls.functions.size()) continue;
      const std::string name = kind < plan_.calls.functions.size()
                                   ? plan_.calls.functions[kind].text()
                                   : fmt::format("kind {}", kind);
      program.calls.push_back({name, counts.kinds[kind]});
    }
    program.inner_calls = counts.inner;
    program.calls_not_timed = counts.calls_not_timed;
    program.threads = trial_.load.threads = counts.threads;
    program.threads_not_timed = counts.threads_not_timed;
    program.processes = counts.processes;
    LedgerAccount& ledger = trial_.ledger;
    ledger.emitted = counts.finished;
    ledger.in_flight = counts.started - std::min(counts.started, counts.finished);
    ledger.lost = std::min(counts.refused, counts.finished);
    if (ledger.lost > 0) ledger.losses = {{"refused by the program", "call", ledger.lost}};
  }

  // Whether nobody knows how many calls there were.
  bool are_lost() const { return memory_.counts().records_lost > 0; }

  void set_rate(const CallCounts& counts) {
    trial_.start_ns = counts.first_start_ns == 0 ? begin_ns_ : counts.first_start_ns;
    trial_.end_ns = std::max(trial_.start_ns, counts.last_end_ns);
    const auto span_ns = static_cast<double>(trial_.end_ns - trial_.start_ns);
    if (trial_.measured > 0 && span_ns > 0) {
      trial_.achieved_rate_hz = static_cast<double>(trial_.measured) / span_ns * 1e9;
    }
  }

  void add_remark(std::string what, std::string remedy) {
    trial_.remarks.push_back({std::move(what), std::move(remedy)});
  }

  void add_remarks(const CallCounts& counts) {
    if (const std::optional<Remark> remark = remark_on_calls_not_timed(counts)) {
      trial_.remarks.push_back(*remark);
    }
    for (const TimedCalls& timed : trial_.program->calls) {
      if (timed.calls == 0 && counts.finished > 0) {
        add_remark(fmt::format("{} was never called", timed.name), "leave it out of --calls");
      }
    }
    const auto p50_ns = static_cast<double>(trial_.service.p50_ns);
    if (trial_.measured > 0 && trial_.floor.loop_ns > p50_ns / 10) {
      add_remark(fmt::format("timing a call by {} takes {:.0f} ns, more than a tenth of the median "
                             "call, {:.0f} ns",
                             means_name(plan_.calls.means), trial_.floor.loop_ns, p50_ns),
                 plan_.calls.means == CallMeans::mark
                     ? "mark several calls together, or read the figures with this in mind"
                     : "mark the calls with tailgate/mark.h, which costs least");
    }
    add_noise_remark(trial_);
  }

  // As where a sink's events cannot be read back, or are missing.
  void judge_arrivals() {
    if (are_lost()) {
      trial_.ledger.unchecked_cause =
          fmt::format("{} records of its calls were lost", memory_.counts().records_lost);
    }
    if (trial_.ledger.unchecked() && trial_.outcome == TrialOutcome::completed) {
      trial_.outcome = TrialOutcome::unchecked;
      trial_.outcome_detail = *trial_.ledger.unchecked_cause;
    }
    if (trial_.ledger.unaccounted == 0) return;
    add_remark(fmt::format("{} events are unaccounted for: {}", trial_.ledger.unaccounted,
                           trial_.ledger.unaccounted_cause),
               "do not compare this trial's figures with others");
  }

  void explain() {
    try {
      const CallTimes times = memory_.times();
      trial_.explanation = trace_->explain(memory_.threads(), trial_.slowest, times);
    } catch (const Error& error) {
      add_remark("slow calls could not be explained: " + error.what_failed(), error.remedy());
    }
    trace_.reset();
  }

  const ProgramPlan& plan_;
  const TrialSettings& settings_;
  const std::filesystem::path& directory_;
  const std::filesystem::path& log_;
  const ProgramProgress& progress_;
  Clock clock_;
  CallMemory memory_;
  OverheadMeter overhead_;
  NeighbourMeter neighbours_;
  IntervalSeries intervals_{kTrialIntervalBytes};
  CallTimes last_times_;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t last_cut_ns_ = 0;
  std::optional<Error> damaged_;
  std::optional<TrialOutcome> outcome_;
  std::optional<ProgramTrace> trace_;
  Trial trial_;
};

}  // namespace

Trial run_program_trial(const ProgramPlan& plan, const TrialSettings& settings,
                        const std::filesystem::path& directory, const std::filesystem::path& log,
                        const ProgramProgress& progress) {
  return ProgramTrial(plan, settings, directory, log, progress).run();
}

}  // namespace tailgate
