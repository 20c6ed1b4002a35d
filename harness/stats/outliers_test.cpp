#include "harness/stats/outliers.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace tailgate {
namespace {

TEST_CASE("distances are in standard deviations of the others") {
  // Median 3, absolute deviations 2 1 0 1 997: their median is 1.
  const auto distances = robust_distances(std::vector<double>{1, 2, 3, 4, 1000}, 0.01);
  CHECK(distances[0] == Approx(-2 * 0.6745));
  CHECK(distances[2] == 0);
  CHECK(distances[4] == Approx(997 * 0.6745));
  CHECK(robust_distances(std::vector<double>{5, 5, 5, 6}, 0.5)[3] == 2);
  CHECK(robust_distances(std::vector<double>{5}, 0.5) == std::vector<double>{0});
}

TEST_CASE("of many equals none is far, and few need to be farther") {
  CHECK(outlier_limit(200, 200, 0.05) < outlier_limit(10, 200, 0.05));
  CHECK(outlier_limit(200, 200, 0.05) < outlier_limit(200, 2000, 0.05));
  CHECK(outlier_limit(1'000'000, 1, 0.05) == Approx(2.1788).margin(0.0001));  // 12 degrees
}

TEST_CASE("equals are outliers as seldom as is allowed, also where there are few") {
  constexpr int kTries = 2000;
  constexpr double kFalseShare = 0.05;
  for (const std::size_t count : {5U, 12U, 200U}) {
    std::mt19937_64 random(count);
    std::normal_distribution<double> normal(0, 0.03);
    const double limit = outlier_limit(count, static_cast<double>(count), kFalseShare);
    int with_outlier = 0;
    for (int i = 0; i < kTries; ++i) {
      std::vector<double> values(count);
      for (double& value : values) value = normal(random);
      bool any = false;
      for (const double distance : robust_distances(values, 0.001)) {
        any = any || std::abs(distance) > limit;
      }
      with_outlier += any ? 1 : 0;
    }
    INFO(count << " values: " << with_outlier);
    CHECK(with_outlier < 1.5 * kFalseShare * kTries);
  }
}

}  // namespace
}  // namespace tailgate
