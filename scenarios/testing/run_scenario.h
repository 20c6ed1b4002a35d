// Whole runs of a scenario on a sink, for tests of what it answers. The test program's main is
// providers/testing/role_main.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
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

// A made result of three rounds of a scenario, a trial a step, at 10,000 events a second. more_ns:
// by how much the options that the sink has in a step make a median call longer than 1000 ns. Every
// ten steps all calls get slower by 500 ns.
inline Result made_rounds(const std::string& name,
                          const std::function<double(const std::vector<std::string>&)>& more_ns) {
  const Scenario& scenario = test_catalog().scenarios.find(name);
  Options options(scenario.options(), "scenario '" + name + "'");
  options.set("rounds", "3");
  Result result;
  result.scenario.name = name;
  for (const auto& [key, value] : options.resolved()) {
    result.scenario.options.push_back({key, value});
  }
  result.sink.label = "x";
  for (unsigned step = 0; step < scenario.max_steps(options); ++step) {
    Trial trial;
    trial.step = step;
    trial.outcome = TrialOutcome::completed;
    trial.load.rate_hz = 10'000;
    trial.floor.two_clock_reads_ns = 30;
    trial.service.count = 10;
    trial.service.p50_ns = static_cast<std::uint64_t>(
        std::lround(1000 + 500.0 * (step / 10) + more_ns(scenario.sink_options(options, step))));
    result.trials.push_back(trial);
  }
  return result;
}

// The number behind "option=" in the first of these.
inline double number_in(const std::vector<std::string>& sink_options) {
  return std::stod(sink_options.at(0).substr(sink_options.at(0).find('=') + 1));
}

// Whether the scenario refuses each of these values of an option, and names the option.
inline bool refuses(const std::string& name, const std::string& option,
                    const std::vector<std::string>& values) {
  const Scenario& scenario = test_catalog().scenarios.find(name);
  return std::all_of(values.begin(), values.end(), [&](const std::string& value) {
    Options options(scenario.options(), "scenario '" + name + "'");
    options.set(option, value);
    try {
      static_cast<void>(scenario.next_step(options, {}));
      return false;
    } catch (const Error& error) {
      return error.what_failed().find(option) != std::string::npos;
    }
  });
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
