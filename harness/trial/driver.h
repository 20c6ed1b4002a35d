// The emit path: the loop of one load thread, from its first event to its last.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/histogram/histogram.h"
#include "harness/os/clock.h"
#include "harness/sink/sink.h"
#include "harness/trial/load.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Where a load thread writes its measurements; in shared memory during a trial.
struct ThreadRecord {
  ThreadBlock& progress;
  SlowSlot* slowest;
  std::uint32_t slowest_count;
  SlowSlot* slowest_responses;  // open loop only
  std::uint32_t slowest_responses_count;
  HistogramWriter service;
  HistogramWriter response;  // open loop only; in a closed loop it equals service
  HistogramWriter start_lag;
};

struct LoadThread {
  const LoadPlan& plan;
  unsigned thread;
  std::uint32_t run;
  EventEncoding encoding;
  Clock clock;
  std::uint64_t start_ns;  // start of the warm-up
  const std::atomic<std::uint32_t>& stop;
};

// Emits the thread's whole load to the provider and records it. Allocates only before the first
// event. Returns when the schedule is done, when stop is set, or when the time is over: a sink that
// cannot keep up gets the planned duration plus half of it (at least a second) to process the
// schedule, and likewise half of the warm-up more (at least a quarter of a second) for that. Events
// left over then count as unissued.
void drive_load(const LoadThread& load, Provider& provider, const ThreadRecord& record);

}  // namespace tailgate
