#include "harness/stats/trial_interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace tailgate {
namespace {

using Values = std::vector<double>;

TEST_CASE("a single trial has no interval") {
  CHECK_FALSE(trial_interval(Values{}, 0.95));
  CHECK_FALSE(trial_interval(Values{7}, 0.95));
  CHECK_FALSE(trials_to_decide(Values{7}, 8, 0.95));
}

TEST_CASE("two to five trials have the mean's interval by Student's t") {
  // Mean 3, standard deviation sqrt(2.5), t(0.975, 4) = 2.776 (any table).
  const auto interval = trial_interval(Values{1, 2, 3, 4, 5}, 0.95);
  REQUIRE(interval);
  CHECK_FALSE(interval->of_median);
  CHECK(interval->estimate == Approx(3));
  CHECK(interval->high - 3 == Approx(2.776 * std::sqrt(2.5 / 5)).epsilon(1e-3));
  CHECK(3 - interval->low == Approx(interval->high - 3));
}

TEST_CASE("six trials bound the median between the smallest and the largest, nine within") {
  // P(all six on one side) = 2 / 64 = 3.1 %; of nine, the 2nd and 8th: 2 * 10 / 512 = 3.9 %.
  const auto six = trial_interval(Values{6, 1, 5, 2, 4, 3}, 0.95);
  REQUIRE(six);
  CHECK(six->of_median);
  CHECK(six->estimate == Approx(3.5));
  CHECK(six->low == 1);
  CHECK(six->high == 6);
  const auto nine = trial_interval(Values{9, 1, 8, 2, 7, 3, 6, 4, 5}, 0.95);
  REQUIRE(nine);
  CHECK(nine->low == 2);
  CHECK(nine->high == 8);
}

TEST_CASE("nineteen of twenty intervals hold the true value, with few trials and with many") {
  const std::size_t trials = GENERATE(2u, 5u, 6u, 12u);
  std::mt19937_64 random(trials);
  std::normal_distribution<double> draw(100, 10);
  int held = 0;
  constexpr int kRuns = 4000;
  for (int run = 0; run < kRuns; ++run) {
    Values values(trials);
    for (double& value : values) value = draw(random);
    const auto interval = trial_interval(values, 0.95);
    REQUIRE(interval);
    held += interval->low <= 100 && 100 <= interval->high ? 1 : 0;
  }
  // Three standard errors below 95 %.
  CHECK(held >= kRuns * 0.95 - 3 * std::sqrt(kRuns * 0.95 * 0.05));
}

TEST_CASE("the number of trials that would decide grows as the limit comes near") {
  const Values values = {9, 10, 11};  // mean 10, standard deviation 1
  CHECK_FALSE(trials_to_decide(values, 10, 0.95));
  CHECK_FALSE(trials_to_decide(values, 10.0001, 0.95));
  // t(0.975, 3) / sqrt(4) = 1.59 is above 1.5, t(0.975, 4) / sqrt(5) = 1.24 below.
  CHECK(trials_to_decide(values, 11.5, 0.95) == 5);
  CHECK(trials_to_decide(values, 8.5, 0.95) == 5);
  // Of the median: 1.96 * 1.2533 / sqrt(n) < 0.25 from about n = 97 on, by t a few later.
  const auto near = trials_to_decide(values, 10.25, 0.95);
  REQUIRE(near);
  CHECK(*near >= 97);
  CHECK(*near <= 103);
}

}  // namespace
}  // namespace tailgate
