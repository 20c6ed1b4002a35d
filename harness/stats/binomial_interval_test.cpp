#include "harness/stats/binomial_interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

namespace tailgate {
namespace {

// P(at least k of n successes), added up.
double at_least(unsigned k, unsigned n, double p) {
  double sum = 0;
  for (unsigned i = k; i <= n; ++i) {
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) +
                    i * std::log(p) + (n - i) * std::log1p(-p));
  }
  return sum;
}

// Conover, Practical Nonparametric Statistics, 1971, p. 97: 682 of 925 plants; the interval as R's
// binom.test prints it for this example in its documentation.
TEST_CASE("Mendelian plants") {
  const ShareInterval interval = binomial_interval(682, 925, 0.95);
  CHECK(interval.share == Approx(0.7372973).margin(5e-8));
  CHECK(interval.low == Approx(0.7076683).margin(5e-8));
  CHECK(interval.high == Approx(0.7654066).margin(5e-8));
}

// Without successes the upper bound has the closed form 1 - tail^(1/n).
TEST_CASE("none and all of the trials") {
  const unsigned trials = GENERATE(1U, 8U, 40U, 20'000U);
  const double bound = 1 - std::pow(0.025, 1.0 / trials);
  const ShareInterval none = binomial_interval(0, trials, 0.95);
  CHECK(none.low == 0);
  CHECK(none.high == Approx(bound).epsilon(1e-9));
  const ShareInterval all = binomial_interval(trials, trials, 0.95);
  CHECK(all.high == 1);
  CHECK(all.low == Approx(1 - bound).epsilon(1e-9));
}

// What defines the bounds: at the lower one, so many successes or more have the probability of one
// tail; at the upper one, so many or fewer have.
TEST_CASE("the bounds leave a tail on each side") {
  const unsigned hits = GENERATE(1U, 4U, 13U, 19U);
  const double confidence = GENERATE(0.8, 0.95, 0.999);
  const ShareInterval interval = binomial_interval(hits, 20, confidence);
  const double tail = (1 - confidence) / 2;
  CHECK(at_least(hits, 20, interval.low) == Approx(tail).epsilon(1e-8));
  CHECK(1 - at_least(hits + 1, 20, interval.high) == Approx(tail).epsilon(1e-8));
}

TEST_CASE("shares that do not exist are refused") {
  CHECK_THROWS_AS(binomial_interval(0, 0, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(binomial_interval(3, 2, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(binomial_interval(1, 2, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
