#include "harness/stats/mean_interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

// By hand: mean 5, squared deviations 14, n = 4, t = 3.182446.
TEST_CASE("a mean's interval is t standard errors to each side") {
  const std::vector<double> values = {3, 5, 4, 8};
  const MeanInterval interval = mean_interval(values, 0.95);
  const double deviation = std::sqrt(14.0 / 3);
  CHECK(interval.mean == Approx(5));
  CHECK(interval.half_width == Approx(3.182446 * deviation / 2).epsilon(1e-6));
  CHECK(mean_interval(std::vector<double>{7, 7, 7}, 0.95).half_width == 0);
}

TEST_CASE("of a hundred intervals about 95 hold the true mean") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(10, 3);
  constexpr int kRounds = 20'000;
  int held = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> values(3);
    for (double& value : values) value = normal(random);
    const MeanInterval interval = mean_interval(values, 0.95);
    held += std::abs(interval.mean - 10) <= interval.half_width ? 1 : 0;
  }
  // Three standard errors of a share of 0.95 in 20,000 rounds are 0.0046.
  CHECK(static_cast<double>(held) / kRounds == Approx(0.95).margin(0.0046));
}

TEST_CASE("what has no interval is refused") {
  CHECK_THROWS_AS(mean_interval(std::vector<double>{1}, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(mean_interval(std::vector<double>{1, 2}, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
