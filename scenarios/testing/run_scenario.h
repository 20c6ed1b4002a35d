// Whole runs of a scenario on a sink, for tests of what it answers. The test program's main is
// providers/testing/role_main.cpp.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/run/runner.h"
#include "harness/trial/scratch.h"
#include "scenarios/testing/catalog.h"

namespace tailgate {

class SilentObserver : public RunObserver {
 public:
  void progress(const RunProgress&, const TrialProgress&) override {}
  void trial_ended(const Result&) override {}
  void runs_again(const RunProgress&, const std::string&) override {}
  void changed(const Result&) override {}
  bool full(const Result&) override { return false; }
};

inline Result run_request(RunRequest request, RunObserver& observer) {
  static const ClockParameters clock = measure_clock();
  const Scratch scratch({}, false);
  Environment environment;
  environment.trial.clock = clock;
  environment.trial.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  environment.trial.load_cpus = {initial_cpus().back()};
  environment.trial.consumer_cpus = {initial_cpus().front()};
  environment.trial.noise_s = 0.01;
  environment.scratch = scratch.path();
  return execute_runs({std::move(request)}, environment, {}, observer).at(0);
}

inline Result run_request(RunRequest request) {
  SilentObserver observer;
  return run_request(std::move(request), observer);
}

inline Result run_scenario(const std::string& name, const std::string& sink,
                           const std::vector<std::pair<std::string, std::string>>& settings) {
  const Scenario& scenario = test_catalog().scenarios.find(name);
  Options options(scenario.options(), "scenario '" + name + "'");
  for (const auto& [option, value] : settings) options.set(option, value);
  return run_request({.scenario = &scenario,
                      .options = options,
                      .sink = test_catalog().sinks.choice(sink),
                      .preset = "",
                      .sinks = &test_catalog().sinks});
}

// The value of an answer's figure; not a number if it has none of this name.
inline double figure_value(const Answer& answer, const std::string& name) {
  for (const AnswerFigure& figure : answer.figures) {
    if (figure.name == name) return figure.value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// The answer's figure of that name. Throws std::out_of_range.
inline const AnswerFigure& figure_of(const Answer& answer, const std::string& name) {
  for (const AnswerFigure& figure : answer.figures) {
    if (figure.name == name) return figure;
  }
  throw std::out_of_range("no figure " + name);
}

}  // namespace tailgate
