// The emit path: one load thread's loop from the first event to the last.
#pragma once

#include <atomic>
#include <cstdint>

#include "harness/base/clock.h"
#include "harness/base/histogram.h"
#include "harness/trial/load.h"
#include "harness/trial/trial_memory.h"
#include "providers/sink.h"

namespace tailgate {

// Where one load thread writes what it measures; in shared memory for a trial.
struct ThreadRecord {
  ThreadBlock& progress;
  SlowSlot* slowest;
  std::uint32_t slowest_count;
  SlowSlot* slowest_responses;  // in an open loop only, as the two below
  std::uint32_t slowest_responses_count;
  HistogramWriter service;
  HistogramWriter response;  // a closed loop intends each call for the moment at which it starts
  HistogramWriter start_lag;
};

struct LoadThread {
  const LoadPlan& plan;
  unsigned thread;
  std::uint32_t run;
  EventEncoding encoding;
  Clock clock;
  std::uint64_t start_ns;  // of the warm-up
  const std::atomic<std::uint32_t>& stop;
};

// Emits the thread's whole load into provider and records it. Allocates before the first event
// only. Returns when the schedule is done, when stop is set, or when the time is up: a sink that
// cannot keep up gets the planned duration and half as much again (at least a second) to work off
// the schedule; what is left then counts as unissued.
void drive_load(const LoadThread& load, Provider& provider, const ThreadRecord& record);

}  // namespace tailgate
