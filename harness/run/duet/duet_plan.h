// Plans how a duet divides its load into turns, and their order: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/trial/load.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Number of recorded calls at the beginning of each turn that are left out of the figures, because
// caches, branch predictors and the processor's clock rate are still those of the previous side.
inline constexpr unsigned kDroppedPerTurn = 20;

// The user's choices for turns.
struct TurnWishes {
  std::optional<double> turn_ms;
  std::optional<unsigned> turns;
  unsigned warmup_turns = 2;  // of each side
};

// Plans the turns of one side of a round. A turn is 20 ms long, or 50 ms with drains; longer if it
// had fewer than 200 events or 4 bursts. There are 4 to 50 turns, about a second in total (0.9 s
// with drains). Throws Error for a load that cannot be divided: a ramp, more than one thread, turns
// with fewer than twice as many events as are dropped, or more calls than the log can hold.
TurnPlan plan_turns(const LoadPlan& load, bool drained, const TurnWishes& wishes);

// Returns one plan for two loads: the longer of the two turn lengths and the smaller number of
// turns.
TurnPlan common_turns(const LoadPlan& a, const LoadPlan& b, bool drained, const TurnWishes& wishes);

// Returns the total load of one side of a round over these turns.
LoadPlan load_in_turns(LoadPlan load, const TurnPlan& turns);

struct RoundOrder {
  bool a_first;        // whose session and processes start first
  bool a_made_first;   // whose shared memory and roles are made first
  std::string warmup;  // "AB" or "BA" for each pair
  std::string turns;
};

// Returns a random order that depends only on seed and round. turns, warmup: number of turns per
// side.
RoundOrder round_order(std::uint64_t seed, unsigned round, unsigned turns, unsigned warmup);

}  // namespace tailgate
