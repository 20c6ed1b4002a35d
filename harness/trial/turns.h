// The load threads of one side of a duet: they emit during its turns and sleep between them.
#pragma once

#include "harness/trial/driver.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Time from waking up to a turn's first intended time. The thread spins during it, so that a
// processor that was idle has woken up. Of several threads the last one to wake up sets the time
// for all, and the others, which sleep until then, need longer to wake up.
inline constexpr std::uint64_t kTurnLeadNs = 50'000;
inline constexpr std::uint64_t kTurnLeadOfSeveralNs = 200'000;

// The load of one turn, with its own random arrivals.
LoadPlan turn_load(const LoadPlan& whole, const TurnPlan& plan, std::uint32_t number);

// The time after a turn's start at which the rest of its events is given up.
std::uint64_t turn_give_up_ns(std::uint64_t length_ns);

// Where a load in turns writes its measurements; in shared memory during a trial.
struct TurnRecord {
  const TurnPlan& plan;
  ThreadBlock& progress;
  TurnBlock& turn;
  CallLogHead& log;   // of this thread, as the next
  CallRecord* calls;  // room for plan.max_calls
};

// Emits the thread's load of each turn when the turn is granted, and reports the turn done; the
// thread sleeps between turns. A probe that is granted is one call of each thread. A turn and its
// schedule begin when all threads are awake. Turns with the same number have the same schedule on
// both sides. If the sink is too slow, events are emitted late, for at most the turn's planned
// length again (at least 0.2 s); after that they count as unissued. Returns when the end has been
// granted or stop is set.
void drive_turns(const LoadThread& load, Provider& provider, const TurnRecord& record);

}  // namespace tailgate
