// How a duet cuts its load into slices, and who goes when: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/trial/load.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Recorded calls at the beginning of each slice that are left out of the figures: caches, branch
// predictors and the processor's clock belong to whoever ran before.
inline constexpr unsigned kDroppedPerSlice = 20;

// What the user may decide about slices.
struct SliceWishes {
  std::optional<double> slice_ms;
  std::optional<unsigned> slices;
  unsigned warmup_slices = 2;  // of each side
};

// The slices of one side of a round: of 20 ms, or of 50 ms where a drain barrier ends each; longer
// where that would be fewer than 200 events or less than 4 bursts; together about a second (.9 with
// barriers), but no fewer than 4 and no more than 50 slices. Throws Error for a load that cannot be
// cut up: a ramp, more than one thread, less than twice as many events in a slice as are dropped,
// or more calls than a log may hold.
SlicePlan plan_slices(const LoadPlan& load, bool drained, const SliceWishes& wishes);

// One plan for two loads: of both the longer slices and the fewer of them.
SlicePlan common_slices(const LoadPlan& a, const LoadPlan& b, bool drained,
                        const SliceWishes& wishes);

// The load as one side of a round bears it in these slices, all together.
LoadPlan load_in_slices(LoadPlan load, const SlicePlan& slices);

struct RoundOrder {
  bool a_first;        // whose session and processes start first
  std::string warmup;  // "AB" for each pair, or "BA"
  std::string slices;
};

// By coins that follow from seed and round alone. slices, warmup: of each side.
RoundOrder round_order(std::uint64_t seed, unsigned round, unsigned slices, unsigned warmup);

}  // namespace tailgate
