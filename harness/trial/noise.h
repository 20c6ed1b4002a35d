// Measures the machine's noise and the harness's own cost just before the load, in the same process
// and on the same processor.
#pragma once

#include <cstdint>

#include "harness/os/clock.h"
#include "harness/sink/sink.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Reads the clock continuously for duration_ns and counts gaps between two reads: time in which
// this thread did not run, or the machine stood still. Looks for ticks among the gaps over 10 us.
NoiseBlock observe_noise(const Clock& clock, std::uint64_t duration_ns);

// The mean time of two clock reads, as at a call's start and end.
double two_clock_reads_ns(const Clock& clock);

// Runs the emit loop on the floor sink in a closed loop and records into the given histogram, like
// a trial.
FloorBlock measure_floor(const TrialPlan& plan, const SinkType& floor, HistogramWriter service);

}  // namespace tailgate
