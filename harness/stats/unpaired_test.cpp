#include "harness/stats/unpaired.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace tailgate {
namespace {

constexpr UnpairedLevels kLevels = {.fail_level = 0.001, .pass_level = 0.05};

// Values as logarithms of times: 1 % of noise, B greater by `shift`.
UnpairedMetric noisy(std::mt19937_64& random, std::size_t count, double shift, double margin) {
  std::normal_distribution<double> noise(0, 0.01);
  UnpairedMetric metric;
  metric.margin = margin;
  for (std::size_t i = 0; i < count; ++i) {
    metric.values.a.push_back(noise(random));
    metric.values.b.push_back(noise(random) + shift);
  }
  return metric;
}

TEST_CASE("a shift beyond the margin fails, one within it passes") {
  std::mt19937_64 random(5);
  const double margin = std::log(1.05);
  const auto fails = decide_unpaired({noisy(random, 10, std::log(1.10), margin)}, kLevels);
  CHECK(fails[0].decision == Decision::fail);
  const auto passes = decide_unpaired({noisy(random, 10, 0, margin)}, kLevels);
  CHECK(passes[0].decision == Decision::pass);
  const auto between = decide_unpaired({noisy(random, 10, margin, margin)}, kLevels);
  CHECK(between[0].decision == Decision::undecided);
}

TEST_CASE("a metric that fails does so among many that do not") {
  std::mt19937_64 random(6);
  std::vector<UnpairedMetric> metrics;
  for (int i = 0; i < 30; ++i) metrics.push_back(noisy(random, 12, 0, std::log(1.05)));
  metrics.push_back(noisy(random, 12, std::log(1.10), std::log(1.05)));
  const auto decisions = decide_unpaired(metrics, kLevels);
  for (std::size_t i = 0; i < 30; ++i) CHECK(decisions[i].decision == Decision::pass);
  CHECK(decisions.back().decision == Decision::fail);
}

// Two modes 30 % apart, so that the margin itself is often exceeded by chance.
TEST_CASE("groups that do not differ fail as seldom as the level says") {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  std::bernoulli_distribution slow(0.3);
  constexpr UnpairedLevels kWide = {.fail_level = 0.01, .pass_level = 0.05};
  constexpr int kTimes = 3000;
  int failed = 0;
  for (int time = 0; time < kTimes; ++time) {
    UnpairedMetric metric;
    metric.margin = std::log(1.02);
    for (int i = 0; i < 6; ++i) {
      metric.values.a.push_back(noise(random) + (slow(random) ? 0.3 : 0));
      metric.values.b.push_back(noise(random) + (slow(random) ? 0.3 : 0));
    }
    failed += decide_unpaired({metric}, kWide)[0].decision == Decision::fail ? 1 : 0;
  }
  CHECK(failed <= 55);  // binomial with 0.01: 30 and five deviations
}

// 12! / (6! 6!) = 924, 14! / (7! 7!) = 3432; 6! / (3! 3!) = 20.
TEST_CASE("the fewest values with which a level can be reached") {
  CHECK(fewest_values(0.001) == 7);
  CHECK(fewest_values(0.05) == 3);
  CHECK_FALSE(can_reject(6, 6, 0.001));
  CHECK(can_reject(7, 6, 0.001));
  CHECK_FALSE(can_reject(0, 100, 0.05));
}

TEST_CASE("decisions on nothing are none") {
  CHECK(decide_unpaired({}, kLevels).empty());
  CHECK_THROWS_AS(decide_unpaired({{}}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
