// A scenario defines load: it converts its options to one or more steps. Each step is a load plan
// that several trials run. `scenarios/README.md` shows how to add a scenario.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/trial/load.h"

namespace tailgate {

// The outcome of an earlier step.
struct StepOutcome {
  LoadPlan load;
  bool saturated = false;   // the median trial missed its rate
  bool by_machine = false;  // and that is proven to be the machine's fault, after several attempts
  bool failed = false;      // no trial completed
};

class Scenario {
 public:
  virtual ~Scenario() = default;

  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  // one line, no full stop
  virtual OptionTable options() const = 0;      // with_load_options() of its own options

  // Returns the load of the next step, given the outcome of the earlier steps; nothing if the
  // scenario is over. Throws Error if the options contradict each other.
  virtual std::optional<LoadPlan> next_step(const Options& options,
                                            std::span<const StepOutcome> before) const = 0;

  // The maximum number of steps, for progress.
  virtual std::size_t max_steps(const Options& options) const {
    static_cast<void>(options);
    return 1;
  }
};

// Every scenario's .cpp file defines one of these, named make_NAME_scenario; scenarios/all.cpp
// lists them.
using ScenarioFactory = std::unique_ptr<const Scenario>();

// The scenarios of a program, by name. Only the program's main function fills it.
class ScenarioCatalog {
 public:
  // Adds a scenario at the end of the list. Names must be unique.
  void add(std::unique_ptr<const Scenario> scenario);

  const std::vector<std::unique_ptr<const Scenario>>& all() const { return scenarios_; }

  // Returns the scenario of that name. Throws Error that lists the known names, the nearest first.
  const Scenario& find(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<const Scenario>> scenarios_;
};

// Returns the scenario's own options followed by those that every scenario has: threads, payload,
// warmup_s, duration_s, events, pacing, seed, trials.
OptionTable with_load_options(OptionTable own);

// Returns the part of a load plan that these shared options set. Throws Error.
LoadPlan load_from(const Options& options);

// Parses "1000, 10k, 1M" to {1000, 10000, 1000000}. Throws Error unless the rates are ascending.
std::vector<double> parse_rates(const std::string& text);

}  // namespace tailgate
