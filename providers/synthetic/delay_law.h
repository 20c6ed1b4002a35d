// The service time of each call of the synthetic sink: a deterministic function of the options, the
// thread and the call's number.
#pragma once

#include <cstdint>

#include "harness/base/options.h"
#include "providers/shared/delay/delay_random.h"
#include "providers/shared/delay/stall_plan.h"

namespace tailgate {

enum class DelayShape : std::uint8_t { fixed, uniform, exponential, lognormal };

struct DelayLaw {
  DelayShape shape = DelayShape::fixed;
  double service_ns = 0;  // fixed: the value; uniform: half of the largest; exponential: the mean;
                          // lognormal: the median
  double sigma = 0;       // lognormal: standard deviation of the logarithm
  double slow_share = 0;  // this share of the calls takes slow_ns instead
  std::uint64_t slow_ns = 0;

  // Draws the same number of random numbers for every call of one law, so that call n of a thread
  // has the same delay in every trial.
  std::uint64_t draw_ns(DelayRandom& random) const;
};

// Reads the synthetic sink's options. Throws Error when they contradict each other.
DelayLaw delay_law(const Options& options);
StallPlan stall_plan(const Options& options);

}  // namespace tailgate
