// Runs whole trials under a trace: the kernel's trace if the user may use it, else context switches
// only.
#include <catch2/catch.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "harness/explain/trace.h"
#include "harness/os/affinity.h"
#include "harness/tracefs/instance.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

Trial run_traced(
    const std::string& sink, LoadPlan load,
    const ProgressCallback& progress = [](const TrialProgress&) {}, double poll_interval_s = 0.0005,
    bool functions = false) {
  static const ClockParameters clock = measure_clock();
  TrialSettings settings;
  settings.clock = clock;
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  settings.poll_interval_s = poll_interval_s;
  settings.trace = activity::TraceMethod::best;
  settings.trace_functions = functions;
  const Scratch scratch({}, false);
  load.warmup_s = 0.05;
  load.pacing = Pacing::spin;
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial", progress);
}

LoadPlan steady(double rate_hz) {
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.duration_s = 0.5;
  return load;
}

void check_explained(const Trial& trial) {
  REQUIRE(trial.explanation);
  const Explanation& explanation = *trial.explanation;
  INFO(explanation.trace.method << ": " << explanation.trace.limits);
  for (const ExplainedTail& tail : explanation.tails) {
    if (tail.measure != "delivery") {
      CHECK(tail.calls > 0);
      CHECK(tail.calls_missing == 0);
    }
    std::uint64_t sum_ns = 0;
    for (const CauseTime& cause : tail.causes) sum_ns += cause.time_ns;
    CHECK(sum_ns == tail.time_ns);
  }
  for (const ExplainedCall& call : explanation.calls) {
    std::uint64_t sum_ns = call.left_out_ns;
    for (const CallSlice& slice : call.slices) sum_ns += slice.end_ns - slice.start_ns;
    CHECK(sum_ns == call.end_ns - call.intended_ns);
  }
}

// Checks that the 24 slowest calls of each kind are listed, though far fewer are beyond the
// quantile.
void check_listed(const Trial& trial) {
  const std::vector<ExplainedCall>& calls = trial.explanation->calls;
  CHECK(calls.size() >= 24);
  CHECK(calls.size() <= 48);
  const auto service_of = [](const auto& call) { return call.end_ns - call.start_ns; };
  std::vector<std::uint64_t> slowest;
  for (const SlowCall& call : trial.slowest) slowest.push_back(service_of(call));
  std::vector<std::uint64_t> listed;
  for (const ExplainedCall& call : calls) listed.push_back(service_of(call));
  std::sort(slowest.rbegin(), slowest.rend());
  std::sort(listed.rbegin(), listed.rend());
  const std::size_t most = std::min<std::size_t>(24, slowest.size());
  REQUIRE(listed.size() >= most);
  CHECK(std::equal(slowest.begin(), slowest.begin() + static_cast<std::ptrdiff_t>(most),
                   listed.begin()));
}

// Checks that the functions of the load's threads were sampled, or that it is said why not.
void check_profiled(const Trial& trial) {
  REQUIRE(trial.explanation->profile);
  const Profile& profile = *trial.explanation->profile;
  INFO(profile.method << ": " << profile.limits);
  if (profile.method == "none") {
    CHECK_FALSE(profile.limits.empty());
    return;
  }
  REQUIRE_FALSE(profile.roles.empty());
  const RoleProfile& load = profile.roles.front();
  CHECK(load.role == "load");
  CHECK(load.threads == trial.load.threads);
  std::uint64_t samples = 0;
  for (const FunctionSamples& one : load.functions) samples += one.exclusive;
  CHECK(samples == load.samples);
  REQUIRE(profile.tails.size() + 1 == trial.explanation->tails.size());
  for (std::size_t i = 0; i < profile.tails.size(); ++i) {
    CHECK(profile.tails[i].measure == trial.explanation->tails[i].measure);
    CHECK(profile.tails[i].calls == trial.explanation->tails[i].calls);
  }
}

void check_nothing_left() {
  if (!tracefs::probe_tracefs().available) return;
  for (const std::string& name : tracefs::TraceFolder::root().folders_in("instances")) {
    CHECK(tracefs::owner_pid(name, '-') != getpid());
  }
}

TEST_CASE("a traced trial explains its slow calls") {
  LoadPlan load = steady(10'000);
  load.threads = GENERATE(1u, 2u);
  const Trial trial = run_traced("file", load);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.slowest.size() <= 16 * load.threads);
  check_explained(trial);
  check_profiled(trial);
  REQUIRE(trial.explanation->tails.size() == 3);
  CHECK(trial.explanation->tails[0].measure == "service");
  CHECK(trial.explanation->tails[1].measure == "response");
  CHECK(trial.explanation->tails[2].measure == "delivery");
  // The calls beyond the quantile, and those in the same slot of the histogram.
  CHECK(trial.explanation->tails[0].calls >= trial.measured / 1000);
  check_listed(trial);
  if (trial.explanation->trace.method != "kernel_trace") return check_nothing_left();
  CHECK(trial.explanation->trace.start_ns < trial.start_ns);
  CHECK(trial.explanation->trace.end_ns >= trial.end_ns);
  CHECK_FALSE(trial.explanation->windows.empty());
  for (const ExplainedTail& tail : trial.explanation->tails) {
    if (tail.measure == "delivery") continue;  // its first events may be older than the trace
    for (const CauseTime& cause : tail.causes) CHECK(cause.cause != "untraced");
  }
  check_nothing_left();
}

TEST_CASE("a closed loop has no separate response times to explain") {
  LoadPlan load;
  load.shape = Shape::max;
  load.duration_s = 0;
  load.events = 20'000;
  const Trial trial = run_traced("file", load);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_explained(trial);
  REQUIRE(trial.explanation->tails.size() == 2);
  CHECK(trial.explanation->tails[0].measure == "service");
  CHECK(trial.explanation->tails[1].measure == "delivery");
  CHECK(trial.explanation->calls.size() == 24);
  check_nothing_left();
}

TEST_CASE("a reader that looks rarely is why events are seen late") {
  const Trial trial = run_traced(
      "file", steady(5'000), [](const TrialProgress&) {}, 0.05);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_explained(trial);
  if (trial.explanation->trace.method != "kernel_trace") return check_nothing_left();
  const ExplainedTail& tail = trial.explanation->tails.back();
  REQUIRE(tail.measure == "delivery");
  REQUIRE(tail.calls > 0);
  CHECK(tail.threshold_ns > 20'000'000);
  std::uint64_t asleep_ns = 0;
  for (const CauseTime& cause : tail.causes) {
    if (cause.cause == "reader_asleep") asleep_ns = cause.time_ns;
  }
  CHECK(asleep_ns > tail.time_ns * 9 / 10);
  check_nothing_left();
}

TEST_CASE(
    "where the kernel's functions are wanted they are recorded, or it is said that none was") {
  const Trial trial = run_traced(
      "file", steady(1'000), [](const TrialProgress&) {}, 0.0005, true);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_explained(trial);
  const std::string& limits = trial.explanation->trace.limits;
  INFO(limits);
  const bool none = limits.find("no function of the kernel was recorded") != std::string::npos;
  for (const ExplainedTail& tail : trial.explanation->tails) {
    CHECK(tail.functions.has_value() == (!none && tail.measure != "delivery"));
  }
  check_nothing_left();
}

TEST_CASE("a provider killed under a trace keeps its measurements and leaves no tracefs instance") {
  bool killed = false;
  const Trial trial = run_traced("file", steady(5'000), [&](const TrialProgress& progress) {
    if (killed || progress.what != "load" || progress.elapsed_s < 0.4) return;
    killed = kill(progress.provider_pid, SIGKILL) == 0;
  });
  REQUIRE(killed);
  CHECK(trial.outcome == TrialOutcome::killed);
  check_explained(trial);
  check_nothing_left();
}

TEST_CASE("the sink that writes into the kernel's trace buffer can be traced, too") {
  const Probe probe = tracefs::probe_tracefs();
  if (!probe.available) {
    WARN("skipped: " << probe.reason << "; " << probe.remedy);
    return;
  }
  const Trial trial = run_traced("ftrace", steady(5'000));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 0);
  check_explained(trial);
  check_nothing_left();
}

}  // namespace
}  // namespace tailgate
