// Whole trials in which several processes write into one session, or one process into several, on
// every sink that says it can be shared.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

// Every sink as it is, and modes whose capabilities differ.
std::vector<std::string> choices() {
  std::vector<std::string> all = {"file:mode=write",
                                  "file:mode=odsync",
                                  "file:mode=fdatasync",
                                  "file:mode=writev",
                                  "spdlog:mode=sync:flush_each=true",
                                  "ftrace:mode=text",
                                  "journald:encoding=text"};
  for (const auto& sink : test_sinks().all()) all.push_back(sink->name());
  return all;
}

// Runs the load on each choice that has the capability and is available here.
template <class Check>
void run_on_all(bool Capabilities::*capability, const LoadPlan& load, Check check,
                const std::vector<TrialAction>& actions = {}) {
  TrialSettings settings = stress_settings();
  settings.actions = actions;
  unsigned run = 0;
  for (const std::string& text : choices()) {
    const SinkChoice choice = sink_choice(text);
    if (!(choice.type->capabilities(choice.options).*capability)) continue;
    const Probe probe = choice.type->probe(choice.options);
    if (!probe.available) {
      WARN("skipped " << text << ": " << probe.reason << "; " << probe.remedy);
      continue;
    }
    const Trial trial = run_stress(
        text, load, {}, [](const TrialProgress&) {}, settings);
    INFO(text << ": " << describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    check(choice, trial);
    ++run;
  }
  CHECK(run >= 2);
}

TEST_CASE("sinks that several processes can share deliver every event of each, and tear none") {
  LoadPlan load = stress_load(1'000, 0.3);
  load.threads = 4;
  load.processes = 2;
  run_on_all(&Capabilities::multi_process, load, [](const SinkChoice& choice, const Trial& trial) {
    if (!choice.type->capabilities(choice.options).read_back) return;
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered == 300);
    CHECK(trial.ledger.corrupted + trial.ledger.damaged_bytes + trial.ledger.foreign == 0);
    REQUIRE(trial.writers);
    CHECK(trial.writers->back().process == 1);
  });
}

TEST_CASE("a provider in several sessions is read back whole from the first") {
  LoadPlan load = stress_load(1'000, 0.3);
  load.sessions = 3;
  run_on_all(&Capabilities::multi_session, load, [](const SinkChoice& choice, const Trial& trial) {
    if (!choice.type->capabilities(choice.options).read_back) return;
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered == 300);
    CHECK(trial.load.sessions == 3u);
  });
}

TEST_CASE("provider processes with a session each deliver every event") {
  LoadPlan load = stress_load(1'000, 0.3);
  load.threads = 3;
  load.processes = 3;
  load.sessions = 3;
  load.own_sessions = 1;
  run_on_all(&Capabilities::own_sessions, load, [](const SinkChoice& choice, const Trial& trial) {
    if (!choice.type->capabilities(choice.options).read_back) return;
    CHECK(balanced(trial.ledger));
    CHECK(trial.ledger.delivered == 300);
    CHECK(trial.ledger.foreign + trial.ledger.duplicates == 0);
    CHECK(trial.load.own_sessions == true);
  });
}

// What an action started during the load had everything that it should have.
void check_further(const Trial& trial) {
  CHECK(balanced(trial.ledger));
  REQUIRE(trial.further);
  const FurtherUse& further = trial.further->front();
  INFO(further.unchecked_cause);
  CHECK(further.checked);
  CHECK(further.due > 0);
  CHECK(further.missing + further.duplicates + further.corrupted == 0);
}

TEST_CASE("a further process that starts to write under load delivers every event") {
  run_on_all(&Capabilities::multi_process, stress_load(1'000, 0.6),
             [](const SinkChoice& choice, const Trial& trial) {
               if (choice.type->capabilities(choice.options).read_back) check_further(trial);
             },
             {{.what = ActionKind::start, .at_s = 0.1}});
}

TEST_CASE("a further consumer that starts under load reads every event") {
  run_on_all(&Capabilities::multi_consumer, stress_load(1'000, 0.6),
             [](const SinkChoice& choice, const Trial& trial) {
               const bool live = choice.type->capabilities(choice.options).live_read;
               if (live) check_further(trial);
               if (!live) CHECK_FALSE(trial.further);
             },
             {{.what = ActionKind::start, .who = ActionTarget::consumer, .at_s = 0.1}});
}

TEST_CASE("a session that a rival starts under load has the events of its time") {
  const TrialAction start = {
      .what = ActionKind::start, .who = ActionTarget::rival, .at_s = 0.2, .for_s = 0.3};
  for (const std::string text : {"lttng", "synthetic"}) {
    const SinkChoice choice = sink_choice(text);
    if (!choice.type->probe(choice.options).available) continue;
    TrialSettings settings = stress_settings();
    settings.actions = {start};
    const Trial trial = run_stress(
        text, stress_load(1'000, 0.8), {}, [](const TrialProgress&) {}, settings);
    INFO(text << ": " << describe(trial));
    check_further(trial);
  }
}

}  // namespace
}  // namespace tailgate
