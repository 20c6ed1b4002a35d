// Whole trials of the ftrace sink, past what it can hold. Needs root; skipped without.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>

#include "harness/tracefs/instance.h"
#include "providers/stress_trial.h"

namespace tailgate {
namespace {

bool skipped() {
  const Probe probe = tracefs::probe_tracefs();
  if (!probe.available) WARN("skipped: " << probe.reason << "; " << probe.remedy);
  return !probe.available;
}

// Load and consumer apart, so that the reader runs beside the writers.
TrialSettings settings() {
  TrialSettings settings = stress_settings();
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  return settings;
}

// As fast as it goes, from two threads.
LoadPlan flood() {
  LoadPlan load;
  load.shape = Shape::max;
  load.duration_s = 0.5;
  load.warmup_s = 0;
  load.threads = 2;
  return load;
}

Trial run(
    const std::string& sink, Consume consume,
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

TEST_CASE("a buffer that is far too small: what was overwritten is lost, the rest delivered") {
  if (skipped()) return;
  const std::string mode = GENERATE("raw", "text");
  const Consume consume = GENERATE(Consume::live, Consume::after);
  const Trial trial = run("ftrace:buffer_bytes=8Ki:mode=" + mode, consume);
  CHECK(trial.outcome == "completed");
  check_balance(trial);
  if (consume == Consume::after) CHECK(lost_to(trial.ledger, "overrun") > 0);
  CHECK(lost_to(trial.ledger, "overrun") == trial.ledger.lost);
  CHECK(trial.ledger.delivered > 0);
  check_nothing_left();
}

TEST_CASE("a full buffer that keeps what it has: every event too many is refused by the call") {
  if (skipped()) return;
  const Trial trial = run("ftrace:buffer_bytes=8Ki:overwrite=false", Consume::after);
  CHECK(trial.outcome == "completed");
  check_balance(trial);
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.ledger.delivered > 0);
  CHECK(lost_to(trial.ledger, "EBADF: buffer full or off") == trial.ledger.lost);
  check_nothing_left();
}

TEST_CASE("a provider that is killed: what it had written comes back") {
  if (skipped()) return;
  bool killed = false;
  const Trial trial = run("ftrace", Consume::live, [&](const TrialProgress& progress) {
    if (killed || progress.what != "load") return;
    killed = kill(progress.provider_pid, SIGKILL) == 0;
  });
  REQUIRE(killed);
  CHECK(trial.outcome == "killed");
  CHECK(trial.ledger.unaccounted == 0);
  check_nothing_left();
}

// Somebody else switches the tracing off, in the middle.
TEST_CASE("a buffer that is switched off refuses, and the trial says so") {
  if (skipped()) return;
  bool switched_off = false;
  const Trial trial = run("ftrace", Consume::live, [&](const TrialProgress& progress) {
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
