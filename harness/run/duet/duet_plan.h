// Plans how a duet divides its load into turns, and their order: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/trial/load.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Number of recorded calls of each thread at the beginning of each turn that are left out of the
// figures, because caches, branch predictors and the processor's clock rate are still those of the
// previous side.
inline constexpr unsigned kDroppedPerTurn = 20;

// The user's choices for turns.
struct TurnWishes {
  std::optional<double> turn_ms;
  std::optional<unsigned> turns;
  unsigned warmup_turns = 2;  // of each side
};

// Plans the turns of one side of a round. A turn is 20 ms long, or 50 ms with drains; longer if it
// had fewer than 200 events or 4 bursts of each load thread. There are 4 to 50 turns, about a
// second in total (0.9 s with drains). Throws Error for a load that cannot be divided: a ramp,
// turns with fewer than twice as many events as are dropped, or more calls than the log can hold.
TurnPlan plan_turns(const LoadPlan& load, bool drained, const TurnWishes& wishes);

// Returns one plan for two loads: the longer of the two turn lengths and the smaller number of
// turns.
TurnPlan common_turns(const LoadPlan& a, const LoadPlan& b, bool drained, const TurnWishes& wishes);

// Returns the total load of one side of a round over these turns.
LoadPlan load_in_turns(LoadPlan load, const TurnPlan& turns);

// So many rounds make a generation where the user says nothing, or more where the next look needs
// it.
inline constexpr unsigned kGenerationRounds = 15;

// Rounds that run together: the processes of the long ones live until the fresh ones, which
// run one after another, have ended.
struct Generation {
  unsigned fresh = 0;
  unsigned long_lived = 0;

  unsigned rounds() const { return fresh + long_lived; }
};

// Plans the next generation. rounds_to_look: so many rounds, at least one, are to be complete at
// the same time as a generation. generation_rounds: at least so many rounds make one, as far as
// there are as many. long_rounds: how many of 15 rounds live long; a generation of fewer rounds has
// fewer of them, and one of more has no more than `generation_rounds` rounds would have.
Generation plan_generation(unsigned rounds_to_look, unsigned long_rounds,
                           unsigned generation_rounds = kGenerationRounds);

// The turns of one visit to a round, as a part of its order: from the letter `first`.
struct Visit {
  std::size_t first = 0;
  std::size_t turns = 0;
};

// Divides the pairs of turns of a round into visits, as equally as possible. visit: from 0; there
// are `visits` of them. A visit is empty if there are fewer pairs than visits.
Visit plan_visit(const std::string& turn_order, unsigned visit, unsigned visits);

struct RoundOrder {
  bool a_first;        // whose session and processes start first
  bool a_made_first;   // whose shared memory and roles are made first
  std::string warmup;  // "AB" or "BA" for each pair
  std::string turns;
  // Of a variable in the environment of each side's processes. What lies on their stacks is thereby
  // moved, also where the system does not draw the addresses of stacks at random.
  unsigned environment_bytes_a = 0;
  unsigned environment_bytes_b = 0;
};

// That variable, of so many bytes.
std::pair<std::string, std::string> environment_of_round(unsigned bytes);

// Returns a random order that depends only on seed and round. turns, warmup: number of turns per
// side.
RoundOrder round_order(std::uint64_t seed, unsigned round, unsigned turns, unsigned warmup);

}  // namespace tailgate
