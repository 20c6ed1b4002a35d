// The load thread of one side of a duet: loads when it is its turn, sleeps when it is not.
#pragma once

#include "harness/trial/driver.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Calls longer than this are looked at: had the thread its processor all the time?
inline constexpr std::uint64_t kSlowCallNs = 20'000;

// Where a load in slices writes what it measures; in shared memory for a trial.
struct SliceRecord {
  const SlicePlan& plan;
  ThreadBlock& progress;
  TurnBlock& turn;
  CallRecord* calls;  // room for plan.max_calls
};

// Emits each slice of the load when it has been granted, and reports it done; the thread sleeps in
// between. A slice begins when the thread has the processor again, and its schedule with it; both
// sides' slices of one number have the same schedule. Events whose time the sink's slowness has
// passed are emitted late, for as long again as the slice was meant to last (at least 0.2 s), then
// count as unissued. Returns when the end has been granted or stop is set.
void drive_slices(const LoadThread& load, Provider& provider, const SliceRecord& record);

}  // namespace tailgate
