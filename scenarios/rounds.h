// Shared by scenarios that repeat the same list of steps in several rounds, so that a slow change
// of the machine affects all steps equally, and by those whose steps vary one count (fields,
// frames) in events of one size.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/run/scenario.h"

namespace tailgate {

// One rate, a trial a step, `rounds` times all steps of a round. Has the options rate_hz and
// rounds.
class RoundsScenario : public Scenario {
 public:
  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override;
  std::size_t trials(const Options&, std::span<const StepOutcome>) const override { return 1; }
  std::size_t max_steps(const Options& options) const override;

 protected:
  // Throws Error if the options contradict each other.
  virtual std::size_t steps_in_round(const Options& options) const = 0;
};

// All events have one size, the option size_bytes.
class SizedRoundsScenario : public RoundsScenario {
 public:
  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override;
};

struct SizedRounds {
  const char* size_bytes = "";  // the default
  std::size_t least_bytes = 0;  // that an event may have
  const char* size_includes = "";
  const char* a_round_has = "";
};

// The options of such a scenario, and `own`.
OptionTable sized_rounds_options(const OptionTable& own, const SizedRounds& rounds);

// An option's list of ascending whole numbers from 1 to `most`. Throws Error.
std::vector<unsigned> counts_from(const Options& options, const char* option, unsigned most);

// What two reads of the clock take, which is the least that a call can differ by.
double two_clock_reads_ns(const Result& result);

}  // namespace tailgate
