// The machine's own noise and the harness's own cost, measured just before the load in the same
// process and on the same processor.
#pragma once

#include <cstdint>

#include "harness/base/clock.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Reads the clock without pause for duration_ns and notes every gap between two reads: time in
// which this thread did not run, or the machine stood still.
NoiseBlock observe_noise(const Clock& clock, std::uint64_t duration_ns);

// Runs the emit loop against the null sink, closed loop, recording into the given histogram as a
// trial would.
FloorBlock measure_floor(const TrialPlan& plan, HistogramWriter service);

}  // namespace tailgate
