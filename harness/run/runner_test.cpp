#include "harness/run/runner.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

class FewEvents : public Scenario {
 public:
  std::string name() const override { return "few"; }
  std::string description() const override { return "a few events"; }
  OptionTable options() const override { return with_load_options({}); }
  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    return load_from(options);
  }
};

// Has room for so many trials.
class SmallPlace : public RunObserver {
 public:
  explicit SmallPlace(std::size_t room_for_trials) : room_for_trials_(room_for_trials) {}

  void progress(const RunProgress& run, const TrialProgress&) override {
    CHECK(run.trial == run.run.trials.size() + 1);
    trials = run.trials;
  }
  void trial_ended(const Result&) override {}
  void runs_again(const RunProgress&, const std::string&) override {}
  void changed(const Result& run) override { last_saved = run; }
  bool full(const Result& run) override { return run.trials.size() >= room_for_trials_; }

  Result last_saved;
  std::size_t trials = 0;  // by the last progress

 private:
  std::size_t room_for_trials_;
};

std::vector<Result> run_few(RunObserver& observer, const std::string& trials) {
  static const FewEvents scenario;
  const Scratch scratch({}, false);
  Environment environment;
  environment.trial.clock = measure_clock();
  environment.trial.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  environment.trial.load_cpus = {initial_cpus().back()};
  environment.trial.noise_s = 0;
  environment.scratch = scratch.path();
  Options options(scenario.options(), "scenario 'few'");
  options.set("duration_s", "0.05");
  options.set("warmup_s", "0");
  options.set("trials", trials);
  return execute_runs(
      {{.scenario = &scenario, .options = options, .sink = sink_choice("null"), .preset = ""}},
      environment, {}, observer);
}

}  // namespace

TEST_CASE("a run whose result is full ends, is not complete, and says so") {
  SmallPlace observer(2);
  const std::vector<Result> results = run_few(observer, "5");
  REQUIRE(results.size() == 1);
  CHECK(results[0].trials.size() == 2);
  CHECK_FALSE(results[0].complete);
  REQUIRE(results[0].remarks.size() == 1);
  CHECK(results[0].remarks[0].what ==
        "the run ended after 2 trials, because results are as large as they may be");
  REQUIRE(observer.last_saved.remarks.size() == 1);
  CHECK(observer.last_saved.remarks[0].what == results[0].remarks[0].what);
}

TEST_CASE("a run whose last trial fills its result is complete") {
  SmallPlace observer(2);
  const std::vector<Result> results = run_few(observer, "2");
  CHECK(results.at(0).trials.size() == 2);
  CHECK(observer.trials == 2);
  CHECK(results.at(0).complete);
  CHECK(observer.last_saved.complete);
  CHECK(results.at(0).remarks.empty());
}

}  // namespace tailgate
