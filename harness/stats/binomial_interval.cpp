#include "harness/stats/binomial_interval.h"

#include <stdexcept>

#include "harness/stats/distributions.h"

namespace tailgate {

ShareInterval binomial_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0 || successes > trials || !(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument(
        "binomial_interval: successes of trials, and a confidence between 0 and 1");
  }
  const double tail = (1 - confidence) / 2;
  return {static_cast<double>(successes) / static_cast<double>(trials),
          binomial_lower_bound(successes, trials, tail),
          binomial_upper_bound(successes, trials, tail)};
}

}  // namespace tailgate
