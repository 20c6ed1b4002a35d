// Whole trials that overload the ftrace sink. Needs root; skipped without.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>

#include "harness/tracefs/instance.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

bool skipped() {
  const Probe probe = tracefs::probe_tracefs();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

// Load and consumer on different CPUs, so that the reader runs while the writers write.
TrialSettings settings() {
  TrialSettings settings = stress_settings();
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  return settings;
}

// Two threads that emit as fast as they can.
LoadPlan flood() {
  LoadPlan load;
  load.shape = Shape::max;
  load.duration_s = 0.5;
  load.warmup_s = 0;
  load.threads = 2;
  return load;
}

Trial run(
    const std::string& sink, WantedConsumer consume,
    const ProgressCallback& progress = [](const TrialProgress&) {}) {
  return run_stress(sink, flood(), consume, progress, settings());
}

void check_balance(const Trial& trial) {
  INFO(describe(trial));
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.corrupted + trial.ledger.duplicates == 0);
}

void check_nothing_left() {
  for (const std::string& name : tracefs::TraceFolder::root().folders_in("instances")) {
    CHECK(tracefs::owner_pid(name, '-') != getpid());
  }
}

TEST_CASE("an instance that stops and starts recording under load has exactly what lies between") {
  if (skipped()) return;
  TrialSettings toggled = settings();
  toggled.actions = {{.what = ActionKind::disable,
                      .who = ActionTarget::session,
                      .at_s = 0.1,
                      .for_s = 0.1,
                      .every_s = 0.2}};
  LoadPlan load;
  load.rate_hz = 10'000;
  load.duration_s = 0.5;
  load.warmup_s = 0;
  const Trial trial = run_stress(
      "ftrace", load, std::nullopt, [](const TrialProgress&) {}, toggled);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.lost == 0);  // though the kernel refuses what comes while it is off
  REQUIRE(trial.switching);
  REQUIRE(trial.switching->events);
  CHECK(trial.switching->events->off > 500);
  CHECK(trial.switching->events->missed == 0);
  CHECK(trial.switching->events->leaked == 0);
  CHECK(trial.switching->events->lost_between == 0);
}

TEST_CASE("a rival's instance has the events of its time, and the first one loses none") {
  if (skipped()) return;
  TrialSettings with_rival = settings();
  with_rival.actions = {
      {.what = ActionKind::start, .who = ActionTarget::rival, .at_s = 0.1, .for_s = 0.2}};
  LoadPlan load;
  load.rate_hz = 10'000;
  load.duration_s = 0.5;
  load.warmup_s = 0;
  load.threads = 2;
  const std::string sink = GENERATE("ftrace", "ftrace:mode=text");
  const Trial trial = run_stress(
      sink, load, std::nullopt, [](const TrialProgress&) {}, with_rival);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.lost == 0);
  REQUIRE(trial.further);
  const FurtherUse& rival = trial.further->at(0);
  INFO(rival.unchecked_cause << " due " << rival.due << " delivered " << rival.delivered);
  CHECK(rival.who == ActionTarget::rival);
  CHECK(rival.checked);
  CHECK(rival.due > 500);
  CHECK(rival.due < trial.ledger.emitted);
  CHECK(rival.missing == 0);
  CHECK(rival.corrupted + rival.duplicates == 0);
  REQUIRE(trial.switching);
  CHECK(trial.switching->switches == 2);
  check_nothing_left();
  for (const std::string& name : tracefs::TraceFolder::root().folders_in("instances")) {
    const int pid = tracefs::owner_pid(name, '-');
    CHECK((pid == 0 || !tracefs::process_is_gone(pid)));
  }
}

TEST_CASE("a load of events that are too large is refused before it runs") {
  LoadPlan load;
  load.payload.first = 4064;
  CHECK_NOTHROW(check_sink_load(sink_choice("ftrace"), load));
  CHECK_THROWS_WITH(check_sink_load(sink_choice("ftrace:mode=text"), load),
                    Catch::Contains("at most 4054 bytes"));
  load.payload.first = 4065;
  CHECK_THROWS_WITH(check_sink_load(sink_choice("ftrace"), load),
                    Catch::Contains("at most 4064 bytes, payload = 4065"));
  load.payload = parse_payload("uniform(4064,5000)");
  CHECK_NOTHROW(check_sink_load(sink_choice("ftrace"), load));
  load.payload = parse_payload("lognormal(5000,9000)");
  CHECK_NOTHROW(check_sink_load(sink_choice("ftrace"), load));
}

TEST_CASE("a buffer far too small: overwritten events are lost, the others delivered") {
  if (skipped()) return;
  const std::string mode = GENERATE("raw", "text");
  const WantedConsumer consume = GENERATE(ConsumerMode::live, ConsumerMode::after);
  const Trial trial = run("ftrace:buffer_bytes=8Ki:mode=" + mode, consume);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_balance(trial);
  if (consume == ConsumerMode::after) CHECK(lost_to(trial.ledger, "overrun") > 0);
  const std::uint64_t uncounted = lost_to(trial.ledger, "overrun that the kernel did not count");
  CHECK(lost_to(trial.ledger, "overrun") + uncounted == trial.ledger.lost);
  CHECK(trial.ledger.delivered > 0);
  check_nothing_left();
}

TEST_CASE("a full buffer without overwrite: emit() refuses every event beyond it") {
  if (skipped()) return;
  const Trial trial = run("ftrace:buffer_bytes=8Ki:overwrite=false", ConsumerMode::after);
  CHECK(trial.outcome == TrialOutcome::completed);
  check_balance(trial);
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.ledger.delivered > 0);
  CHECK(lost_to(trial.ledger, "EBADF: buffer full or off") == trial.ledger.lost);
  check_nothing_left();
}

TEST_CASE("a killed provider: the events that it wrote are read back") {
  if (skipped()) return;
  bool killed = false;
  const Trial trial = run("ftrace", ConsumerMode::live, [&](const TrialProgress& progress) {
    if (killed || progress.what != "load") return;
    killed = kill(progress.provider_pid, SIGKILL) == 0;
  });
  REQUIRE(killed);
  CHECK(trial.outcome == TrialOutcome::killed);
  CHECK(trial.ledger.unaccounted == 0);
  check_nothing_left();
}

// Another process switches the instance off in the middle of the trial.
TEST_CASE("a buffer that is switched off refuses events, and the trial says why") {
  if (skipped()) return;
  bool switched_off = false;
  const Trial trial = run("ftrace", ConsumerMode::live, [&](const TrialProgress& progress) {
    if (switched_off || progress.what != "load") return;
    const tracefs::TraceFolder root = tracefs::TraceFolder::root();
    for (const std::string& name : root.folders_in("instances")) {
      if (tracefs::owner_pid(name, '-') != getpid()) continue;
      root.write("instances/" + name + "/tracing_on", "0", "");
      switched_off = true;
    }
  });
  REQUIRE(switched_off);
  check_balance(trial);
  CHECK(lost_to(trial.ledger, "EBADF: buffer full or off") > 0);
  check_nothing_left();
}

}  // namespace
}  // namespace tailgate
