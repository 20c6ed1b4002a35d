#include "harness/gate/quiet_rounds.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace tailgate {
namespace {

TEST_CASE("rounds of which the hypervisor takes no more than is allowed are all quiet") {
  CHECK(quiet_rounds({0, 0.01, 0.002, 0.01}, 0.01) == std::vector<bool>(4, true));
  CHECK(quiet_rounds({0.5, 0.9, 0.1}, 1) == std::vector<bool>(3, true));
  CHECK(quiet_rounds({}, 0.01).empty());
}

TEST_CASE("a round is not quiet above both the limit and the median up to it") {
  // Medians up to each: 0, 0, 0, 0.01, 0.02, 0.025.
  CHECK(quiet_rounds({0, 0, 0.03, 0.02, 0.05, 0.03}, 0.01) ==
        std::vector<bool>{true, true, false, false, false, false});
  CHECK(quiet_rounds({0.05, 0.03, 0.04, 0.06, 0.02}, 0.01) ==
        std::vector<bool>{true, true, true, false, true});
  CHECK(quiet_rounds({0.04, 0.04, 0.04}, 0.01) == std::vector<bool>(3, true));
}

TEST_CASE("of noisy rounds without a trend about half are quiet, and later ones change none") {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> share(20);
  std::vector<double> shares;
  for (int i = 0; i < 400; ++i) shares.push_back(0.01 + share(random));
  const std::vector<bool> all = quiet_rounds(shares, 0.01);
  const auto kept = std::count(all.begin(), all.end(), true);
  CHECK(kept >= 160);
  CHECK(kept <= 240);
  const std::vector<bool> first = quiet_rounds({shares.begin(), shares.begin() + 150}, 0.01);
  CHECK(std::equal(first.begin(), first.end(), all.begin()));
}

TEST_CASE("a round that does not say what was taken is quiet, and tells nothing of others") {
  const double nan = std::nan("");
  CHECK(quiet_rounds({nan, nan, 0.02, 0.05, nan}, 0.01) ==
        std::vector<bool>{true, true, true, false, true});
}

TEST_CASE("values of rounds that are not quiet are taken out on both sides") {
  MetricSeries series{"calls_over_1ms", {1, 2, 3}, {4, 5, 6}};
  keep_quiet({true, false, true}, series);
  CHECK(series.a[0] == 1);
  CHECK(std::isnan(series.a[1]));
  CHECK(std::isnan(series.b[1]));
  CHECK(series.b[2] == 6);
  keep_quiet({}, series);
  CHECK(series.b[0] == 4);
}

}  // namespace
}  // namespace tailgate
