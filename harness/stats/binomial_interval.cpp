#include "harness/stats/binomial_interval.h"

#include <stdexcept>

#include "harness/stats/mean_interval.h"

namespace tailgate {
namespace {

// The x at which I_x(a, b) reaches p.
double beta_quantile(double p, double a, double b) {
  double below = 0;
  double above = 1;
  // Halving settles every bit of a double down to 2^-200.
  for (int i = 0; i < 200; ++i) {
    const double middle = below + (above - below) / 2;
    if (middle == below || middle == above) break;
    (incomplete_beta(middle, a, b) < p ? below : above) = middle;
  }
  return above;
}

}  // namespace

ShareInterval binomial_interval(std::uint64_t successes, std::uint64_t trials, double confidence) {
  if (trials == 0 || successes > trials || !(confidence > 0 && confidence < 1)) {
    throw std::invalid_argument(
        "binomial_interval: successes of trials, and a confidence between 0 and 1");
  }
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  const double tail = (1 - confidence) / 2;
  return {hits / static_cast<double>(trials),
          successes == 0 ? 0 : beta_quantile(tail, hits, misses + 1),
          successes == trials ? 1 : beta_quantile(1 - tail, hits + 1, misses)};
}

}  // namespace tailgate
