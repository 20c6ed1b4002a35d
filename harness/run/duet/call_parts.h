// Cuts all calls of one side of a traced round into parts: by the trace's causes, and where code
// ran, by the functions that were sampled. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/explain/difference.h"
#include "harness/profile/samples.h"
#include "harness/result/explanation.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// The calls of one load thread, in order of time.
struct TracedThread {
  std::uint32_t thread = 0;  // the system's id
  std::span<const CallRecord> calls;
};

struct TracedSide {
  const activity::Timeline& timeline;  // as CallCutter takes it; watches the threads
  const TraceUsed& trace;
  const profile::Samples& samples;  // of this side's processes; an empty list: none were taken
  std::vector<TracedThread> threads;
  unsigned dropped_per_turn = 0;  // calls to leave out at the beginning of each turn
};

struct CallParts {
  activity::SideAmounts call;       // of each call up to the 99th percentile, as trimmed_mean_ns
  activity::SideAmounts slow_call;  // of each call beyond it
};

// Leaves out the calls that were only preempted; of one that ran long, too, the time in which it
// waited for a processor. A call's time is without the interrupt of the sampler: that in which one
// of the samples was taken.
CallParts call_parts(const TracedSide& side);

// The functions in which samples of a role were, from begin_ns to end_ns, as parts of `whole`;
// nothing where there are none.
activity::SideAmounts role_parts(const profile::Samples& samples, profile::SampledRole role,
                                 std::uint64_t begin_ns, std::uint64_t end_ns, double whole);

// How many samples of the role there are in that time.
std::uint64_t samples_of(const profile::Samples& samples, profile::SampledRole role,
                         std::uint64_t begin_ns, std::uint64_t end_ns);

}  // namespace tailgate
