#include "harness/stats/trend.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace tailgate {
namespace {

std::vector<Point> series(const std::vector<double>& values) {
  std::vector<Point> points;
  for (const double value : values) {
    points.push_back({static_cast<double>(points.size()), value});
  }
  return points;
}

using Blocks = std::vector<std::vector<Point>>;

Trend trend_in(const std::vector<double>& values) {
  const auto trend = trend_of(Blocks{series(values)}, 0.95);
  REQUIRE(trend);
  return *trend;
}

// M. Hollander and D. A. Wolfe, Nonparametric Statistical Methods, example 9.1 (cloud seeding):
// C = -6, and Theil's slope is -0.056. Twice, as two blocks: one has too few points.
TEST_CASE("score and slope are those of Hollander and Wolfe's example") {
  const auto years = series({1.26, 1.27, 1.12, 1.16, 1.03});
  CHECK_FALSE(trend_of(Blocks{years}, 0.95));
  const auto trend = trend_of(Blocks{years, years}, 0.95);
  REQUIRE(trend);
  CHECK(trend->points == 10);
  CHECK(trend->score == -12);
  CHECK(trend->slope.slope == Approx(-0.05625));
}

// The numbers of the next tests were computed in Python by other ways: scores by a double loop,
// p by statistics.NormalDist, the slope's interval by scipy's rule on the sorted slopes.
TEST_CASE("score, variance, p and slope of independent points") {
  const Trend trend = trend_in({12, 15, 14, 13, 17, 15, 18, 16, 19, 17, 21, 20});
  CHECK(trend.score == 46);
  CHECK(trend.variance == Approx(210.666667));  // 12 * 11 * 29 / 18, less two pairs of equals
  CHECK(trend.correlation == 1);
  CHECK(trend.p == Approx(0.00193274));
  CHECK(trend.slope.slope == Approx(2.0 / 3));
  CHECK(trend.slope.low == Approx(3.0 / 7));
  CHECK(trend.slope.high == Approx(1));
}

TEST_CASE("neighbours that resemble each other make the variance larger") {
  const Trend trend =
      trend_in({10, -8, -16, 16, 70, 20, 74, 113, 69,  49,  37,  73,  113, 131, 69,
                25, 38, 78,  94, 70, 33, 65, 47,  112, 123, 122, 174, 172, 196, 181});
  CHECK(trend.score == 228);
  CHECK(trend.correlation == Approx(4.7162007));
  CHECK(trend.variance == Approx(3138.666667 * 4.7162007));
  CHECK(trend.p == Approx(0.06207414));
  CHECK(trend.slope.slope == Approx(4.8333333));
  CHECK(trend.slope.low == Approx(-0.2));
  CHECK(trend.slope.high == Approx(10.7777778));
}

TEST_CASE("one step is no trend, and a constant none at all") {
  const Trend step = trend_in({0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3, 3});
  CHECK(step.score == 49);
  CHECK(step.correlation == Approx(12.7848509));
  CHECK(step.p == Approx(0.3910854));
  CHECK(step.step_p == 1);  // a single step
  const Trend constant = trend_in(std::vector<double>(12, 5));
  CHECK(constant.p == 1);
  CHECK(constant.step_p == 1);
  CHECK(constant.slope.low == 0);
  CHECK(constant.slope.high == 0);
}

TEST_CASE("a level that changes between blocks plays no part") {
  Blocks blocks;
  for (const double level : {0.0, 100.0, 300.0}) {
    blocks.push_back(series({level, level + 1, level, level + 1, level, level + 1}));
  }
  const auto flat = trend_of(blocks, 0.95);
  REQUIRE(flat);
  CHECK(flat->points == 18);
  CHECK(flat->score == 3 * 3);
  CHECK(flat->slope.slope == 0);
  CHECK(flat->p > 0.3);
}

TEST_CASE("the sign test finds a level that grows in every step, however unevenly") {
  // The sum of 1, 5, 1, 1, 9, 2, 1, 1, 12, 1, 3, 1, 1, 20.
  const Trend leak = trend_in({0, 1, 6, 7, 8, 17, 19, 20, 21, 33, 34, 37, 38, 39, 59});
  CHECK(leak.step_p == Approx(2.0 / 16384));  // 14 of 14 up: twice 2^-14
  CHECK(leak.score == 105);
  CHECK(leak.slope.low > 0);
}

TEST_CASE("series that do not ascend in time, or are short, have no trend") {
  CHECK_FALSE(trend_of(Blocks{series({1, 2, 3, 4, 5, 6, 7, 8, 9})}, 0.95));
  std::vector<Point> back = series(std::vector<double>(12, 1));
  std::swap(back[3].x, back[4].x);
  CHECK_FALSE(trend_of(Blocks{back}, 0.95));
}

// How often noise without a trend has a p below 0.05.
double false_share(double kept) {
  constexpr int kSeries = 400;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int found = 0;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> values;
    double value = 0;
    for (int k = 0; k < 60; ++k) {
      value = kept * value + normal(random);
      if (k >= 20) values.push_back(value);
    }
    if (trend_in(values).p < 0.05) ++found;
  }
  return static_cast<double>(found) / kSeries;
}

TEST_CASE("noise without a trend seldom drifts, also where it resembles what was before") {
  CHECK(false_share(0) < 0.08);
  CHECK(false_share(0.5) < 0.10);
  CHECK(false_share(0.8) < 0.15);
}

}  // namespace
}  // namespace tailgate
