// A scenario shapes load: it turns its options into one or more steps, each a load plan that is
// run for a number of trials. `scenarios/README.md` shows how to add one.
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

// How an earlier step went.
struct StepOutcome {
  LoadPlan load;
  bool saturated = false;  // the median trial missed its rate
  bool failed = false;     // no trial completed
};

class Scenario {
 public:
  virtual ~Scenario() = default;

  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  // one line, no full stop
  virtual OptionTable options() const = 0;      // load_options() with its own

  // The load of the next step, knowing how the steps before it went; nothing when the scenario is
  // over. Throws Error when the options do not fit together.
  virtual std::optional<LoadPlan> next_step(const Options& options,
                                            std::span<const StepOutcome> before) const = 0;

  // How many steps there will be at most, for progress.
  virtual std::size_t most_steps(const Options& options) const {
    static_cast<void>(options);
    return 1;
  }
};

// Every scenario, in the order in which they are listed.
const std::vector<const Scenario*>& all_scenarios();

// Throws Error that lists the known names, the nearest first.
const Scenario& find_scenario(std::string_view name);

// The options that every scenario has: threads, payload, warmup_s, duration_s, events, pacing,
// seed, trials; then the scenario's own.
OptionTable with_load_options(OptionTable own);

// The part of a load plan that follows from those options. Throws Error.
LoadPlan load_from(const Options& options);

// "1000, 10k, 1M" -> {1000, 10000, 1000000}; rising. Throws Error.
std::vector<double> parse_rates(const std::string& text);

}  // namespace tailgate
