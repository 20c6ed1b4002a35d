// Trials with several provider processes on one session: their measurements, their ends, and the
// ledger of all of them.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/os/affinity.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "harness/trial/testing/test_process.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

using Catch::Contains;

struct ProcessWishes {
  unsigned processes = 2;
  unsigned threads = 2;  // of all
  double rate_hz = 4'000;
  double duration_s = 0.5;
  std::vector<TrialAction> actions = {};
  ProgressCallback progress = [](const TrialProgress&) {};
};

Trial run_processes(const std::string& sink, const ProcessWishes& wishes) {
  static const ClockParameters clock = measure_clock();
  TrialSettings settings;
  settings.clock = clock;
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  settings.hang_timeout_s = 2;
  settings.actions = wishes.actions;
  LoadPlan load;
  load.rate_hz = wishes.rate_hz;
  load.duration_s = wishes.duration_s;
  load.warmup_s = 0;
  load.threads = wishes.threads;
  load.processes = wishes.processes;
  check_load(load);
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial", wishes.progress);
}

void check_all_balanced(const Trial& trial) {
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.corrupted == 0);
  CHECK(trial.ledger.emitted == trial.ledger.delivered + trial.ledger.lost);
}

TEST_CASE("each process has its share of the load, and all events are accounted for") {
  const Trial trial = run_processes("synthetic:service_ns=1000", {.processes = 3, .threads = 6});
  INFO(trial.outcome << ": " << trial.outcome_detail);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_all_balanced(trial);
  CHECK(trial.ledger.delivered == 2'000);
  CHECK(trial.measured == 2'000);
  CHECK(trial.load.threads == 6);
  CHECK(trial.load.processes == 3u);
  REQUIRE(trial.writers);
  REQUIRE(trial.writers->size() == 6);
  std::uint64_t measured = 0;
  std::uint64_t longest_ns = 0;
  for (unsigned i = 0; i < 6; ++i) {
    const WriterUse& writer = trial.writers->at(i);
    CHECK(writer.thread == i);
    CHECK(writer.process == i / 2);
    CHECK(writer.service.count == writer.measured);
    CHECK(writer.response.count == writer.measured);
    CHECK((writer.measured == 333 || writer.measured == 334));
    measured += writer.measured;
    longest_ns = std::max(longest_ns, writer.service.max_ns);
  }
  CHECK(measured == trial.measured);
  CHECK(longest_ns == trial.service.max_ns);
  REQUIRE(trial.overhead);
  CHECK(trial.overhead->roles.front().role == "provider");
  if (counts_other_processes()) CHECK(trial.overhead->roles.front().processes == 3);
}

TEST_CASE("one process has no list of its processes, and one thread none of writers") {
  const Trial trial = run_processes("synthetic", {.processes = 1, .threads = 1});
  CHECK_FALSE(trial.load.processes);
  CHECK_FALSE(trial.writers);
}

TEST_CASE("what each process loses is added up by its cause") {
  const Trial trial = run_processes("synthetic:lose_every=10", {.processes = 2, .threads = 2});
  check_all_balanced(trial);
  REQUIRE(trial.ledger.losses.size() == 1);
  CHECK(trial.ledger.losses.front().cause == "planted");
  CHECK(trial.ledger.losses.front().events == 200);
}

// The calls of thread 0 take so long that only process 1 gets to its 200th.
constexpr const char* kOneSided = "synthetic:service_ns=10_000:first_thread_percent=1_000_000";

TEST_CASE("a process that crashes ends the trial, and says which it was") {
  const Trial trial = run_processes(std::string(kOneSided) + ":crash_at=200", {.duration_s = 5});
  CHECK(trial.outcome == TrialOutcome::crashed);
  CHECK_THAT(trial.outcome_detail,
             Contains("provider 2 of 2 ended by " + std::string(kAbortedText)));
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.in_flight >= 1);
  CHECK(trial.ledger.emitted >= 199);
}

TEST_CASE("a call that hangs in one of several processes is found") {
  const Trial trial = run_processes(std::string(kOneSided) + ":hang_at=200", {.duration_s = 20});
  CHECK(trial.outcome == TrialOutcome::hung);
  CHECK_THAT(trial.outcome_detail, Contains("event 199 of thread 1"));
}

TEST_CASE("a killed process ends the trial, although the others would go on") {
  bool killed = false;
  const Trial trial =
      run_processes("synthetic", {.duration_s = 5, .progress = [&](const TrialProgress& at) {
                                    if (at.what != "load" || killed) return;
                                    kill_process(at.provider_pid);
                                    killed = true;
                                  }});
  CHECK(trial.outcome == TrialOutcome::killed);
  CHECK_THAT(trial.outcome_detail,
             Contains("provider 1 of 2 ended by " + std::string(kKilledText)));
}

TEST_CASE("a planned kill of the program kills all of its processes, and counts what they took") {
  const Trial trial = run_processes(
      "synthetic:kill_loses_events=50",
      {.processes = 3, .threads = 3, .actions = {{.what = ActionKind::kill, .at_s = 0.2}}});
  INFO(trial.outcome << ": " << trial.outcome_detail);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_all_balanced(trial);
  REQUIRE(trial.actions);
  CHECK(trial.actions->size() == 3);
  REQUIRE(trial.survival);
  CHECK(trial.survival->gone <= 150);
  CHECK(trial.survival->gone >= 147);
  CHECK(trial.ledger.lost == trial.survival->gone);
}

TEST_CASE("a load that the sink's processes cannot share is refused with the reason") {
  LoadPlan load;
  load.threads = 2;
  load.processes = 2;
  const auto refusal = why_not_shared(sink_choice("file:mode=stdio"), load);
  REQUIRE(refusal);
  CHECK_THAT(refusal->what_failed(), Contains("from one process only, processes = 2"));
  CHECK_FALSE(why_not_shared(sink_choice("synthetic"), load));
  CHECK_THROWS_AS(check_sink_load(sink_choice("file:mode=mmap"), load), Error);
  load = {};
  load.sessions = 2;
  CHECK(why_not_shared(sink_choice("file"), load));
  CHECK_FALSE(why_not_shared(sink_choice("synthetic"), load));
}

TEST_CASE("processes that cannot have equal shares of the threads are refused") {
  LoadPlan load;
  load.threads = 3;
  load.processes = 2;
  CHECK_THROWS_WITH(check_load(load), Contains("equal shares of 3 threads"));
  load.processes = 65;
  CHECK_THROWS_WITH(check_load(load), Contains("processes = 65"));
  load = {};
  load.sessions = 65;
  CHECK_THROWS_WITH(check_load(load), Contains("sessions = 65"));
}

}  // namespace
}  // namespace tailgate
