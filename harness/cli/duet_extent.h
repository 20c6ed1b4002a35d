// How far a duet goes: its rounds, and its time.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

#include "harness/gate/policy.h"
#include "harness/result/command_duet.h"
#include "harness/result/duet.h"

namespace tailgate {

// How many rounds a duet is to have, those of `earlier` included, which it resumes (or null).
// wanted: by the user. policy: of the gate, or null. Throws Error where `earlier` has as many.
unsigned rounds_to_plan(std::optional<unsigned> wanted, const Policy* policy, const Duet* earlier);
unsigned rounds_to_plan(std::optional<unsigned> wanted, const Policy* policy,
                        const CommandDuet* earlier);

// How long one call may measure.
class DuetTime {
 public:
  // without a budget it is never up. rounds_before: those of earlier calls.
  DuetTime(std::optional<double> budget_s, std::size_t rounds_before)
      : budget_s_(budget_s), rounds_before_(rounds_before) {}

  // Whether another round, which takes about as long as those of this call, would end too late.
  // rounds: of all calls; more than before this one.
  bool is_up(std::size_t rounds) const;

 private:
  std::optional<double> budget_s_;
  std::size_t rounds_before_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace tailgate
