// Whole trials on plugins: each fault ends in a process of its own and in the result.
#include "providers/plugin/plugin.h"

#include <catch2/catch.hpp>

#include <string>

#include "harness/os/affinity.h"
#include "harness/os/process.h"
#include "harness/trial/processes/contract.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

std::string plugin(const std::string& name) {
  return std::string(TAILGATE_PLUGINS) + "/tailgate_" + name + TAILGATE_PLUGIN_SUFFIX;
}

TrialSettings settings() {
  static const ClockParameters clock = measure_clock();
  return {.clock = clock,
          .range = {.lowest_discernible = 1,
                    .highest_trackable = 60'000'000'000,
                    .significant_digits = 3},
          .load_cpus = {},
          .consumer_cpus = {},
          .sink_cpus = {},
          .victim_cpus = {},
          .noise_s = 0,
          .hang_timeout_s = 2};
}

Trial run(const std::string& sink) {
  LoadPlan load;
  load.shape = Shape::max;
  load.warmup_s = 0;
  load.duration_s = 0;
  load.events = 500;
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings(), scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

std::string contract_of(const std::string& sink) {
  const Scratch scratch({}, false);
  return check_contract(sink_choice(sink), settings(), scratch.path() / "trial");
}

bool has(const std::vector<Setting>& granted, const std::string& name, const std::string& value) {
  return std::any_of(granted.begin(), granted.end(), [&](const Setting& setting) {
    return setting.name == name && setting.value == value;
  });
}

TEST_CASE("a plugin's trial balances, and says which library it was") {
  const Trial trial = run(plugin("faulty"));
  INFO(trial.outcome_detail);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.emitted == 500);
  CHECK(trial.ledger.delivered == 500);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(has(trial.granted, "library", "faulty 1.0"));
  CHECK(has(trial.granted, "buffers", "4"));
  REQUIRE_FALSE(trial.granted.empty());
  CHECK(trial.granted.front().value.starts_with("crc32 "));
}

TEST_CASE("a fault in a plugin ends its own process, and the trial says so") {
  struct Case {
    const char* fault;
    TrialOutcome outcome;
    const char* says;
  };
  const Case given =
      GENERATE(Case{"open_fails", TrialOutcome::failed, "the queue of 8 GiB cannot be made"},
               Case{"open_crashes", TrialOutcome::crashed, "the provider ended by"},
               Case{"open_hangs", TrialOutcome::hung, "took longer than 2"},
               Case{"open_overruns", TrialOutcome::failed, "wrote over the end of the buffer"},
               Case{"warm_fails", TrialOutcome::failed, "no buffer for the thread"},
               Case{"emit_crashes", TrialOutcome::crashed, "the provider ended by"},
               Case{"emit_hangs", TrialOutcome::hung, "the call had not returned after 2"},
               Case{"close_fails", TrialOutcome::failed, "the last 7 events could not be written"},
               Case{"start_fails", TrialOutcome::failed, "no daemon"},
               Case{"start_crashes", TrialOutcome::failed, "ended its process by"},
               Case{"start_throws", TrialOutcome::failed, "thrown by the session"});
  const Trial trial = run(plugin("faulty") + ":fault=" + given.fault);
  INFO(given.fault << ": " << trial.outcome << " " << trial.outcome_detail);
  CHECK(trial.outcome == given.outcome);
  CHECK_THAT(trial.outcome_detail, Catch::Contains(given.says));
}

TEST_CASE("an event that a plugin loses is unaccounted for") {
  const Trial trial = run(plugin("faulty") + ":fault=loses_events");
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.unaccounted == 1);
}

TEST_CASE("the contract's calls find what a load does not") {
  CHECK(contract_of(plugin("faulty")).empty());
  CHECK_THAT(contract_of(plugin("faulty") + ":fault=accepts_closed"),
             Catch::Contains("after close"));
  CHECK_THAT(contract_of(plugin("faulty") + ":fault=emit_overreads"),
             Catch::Contains("the provider ended by"));
  CHECK_THAT(contract_of(plugin("faulty") + ":fault=stop_crashes"),
             Catch::Contains("ended its process by"));
}

TEST_CASE("a plugin that leaves descriptors open breaks the contract") {
  if (open_descriptors() == 0) {
    WARN("this system (Wine) does not count a process's handles");
    return;
  }
  CHECK_THAT(contract_of(plugin("faulty") + ":fault=leaks"), Catch::Contains("descriptors"));
}

TEST_CASE("built-in sinks keep the contract's calls") {
  const std::string sink = GENERATE("null", "synthetic", "file", "file:mode=mmap");
  INFO(sink);
  CHECK(contract_of(sink).empty());
}

TEST_CASE("a table in C has all that it needs") {
  const Trial trial = run(plugin("null_c"));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.emitted == 500);
  CHECK_FALSE(trial.ledger.checked);
}

}  // namespace
}  // namespace tailgate
