// How long each call of the synthetic sink takes, as a deterministic function of the options, the
// thread and the number of the call.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/base/options.h"

namespace tailgate {

// xorshift64* (Vigna 2016), seeded through splitmix64 so that any two seeds give unrelated streams.
class DelayRandom {
 public:
  explicit DelayRandom(std::uint64_t seed);
  // Uniform in (0, 1].
  double next_unit();

 private:
  std::uint64_t state_;
};

enum class DelayShape : std::uint8_t { fixed, uniform, exponential, lognormal };

struct DelayLaw {
  DelayShape shape = DelayShape::fixed;
  double service_ns = 0;  // fixed: the value; uniform on (0, 2x], exponential: the mean;
                          // lognormal: the median
  double sigma = 0;       // lognormal: standard deviation of the logarithm
  double slow_share = 0;  // this share of calls takes slow_ns instead
  std::uint64_t slow_ns = 0;

  // Takes the same number of random numbers for every call of one law, so that call n of a thread
  // has the same delay in every trial.
  std::uint64_t draw_ns(DelayRandom& random) const;
};

// Stalls lie on the run clock at origin + first + k * period, k = 0, 1, …, each length_ns long.
struct StallPlan {
  std::uint64_t length_ns = 0;  // 0: none
  std::uint64_t period_ns = 0;  // 0: one stall only
  std::uint64_t first_ns = 0;

  // The end of the stall that covers now_ns, or now_ns itself where none does.
  std::uint64_t release_ns(std::uint64_t origin_ns, std::uint64_t now_ns) const;
};

// From the synthetic sink's options. Throws Error when they contradict each other.
DelayLaw delay_law(const Options& options);
StallPlan stall_plan(const Options& options);

}  // namespace tailgate
