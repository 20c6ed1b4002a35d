// How well a count of successes tells a probability. A pure function.
#pragma once

#include <cstdint>

namespace tailgate {

struct ShareInterval {
  double share = 0;  // successes / trials
  double low = 0;
  double high = 0;
};

// The exact interval of Clopper and Pearson (Biometrika 26, 1934): it holds the true probability
// with at least `confidence`, 0 < confidence < 1, whatever that probability is. successes <=
// trials, trials above 0. Throws std::invalid_argument.
ShareInterval binomial_interval(std::uint64_t successes, std::uint64_t trials, double confidence);

}  // namespace tailgate
