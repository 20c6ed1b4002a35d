#include "harness/stats/night_chart.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace tailgate {
namespace {

struct Found {
  std::size_t night;  // with which it was certain, from 0
  LevelChange change;
};

std::vector<Found> found_in(const std::vector<double>& nights, const ChartSettings& settings = {}) {
  ChartState state;
  std::vector<Found> found;
  for (std::size_t night = 0; night < nights.size(); ++night) {
    if (const auto change = add_night(state, nights[night], settings)) {
      found.push_back({night, *change});
    }
  }
  return found;
}

// 40 nights around 0 that alternate by `noise`, then as many around `level`.
std::vector<double> step(double noise, double level, std::size_t nights_after = 40) {
  std::vector<double> nights;
  for (std::size_t i = 0; i < 40 + nights_after; ++i) {
    nights.push_back((i < 40 ? 0 : level) + (i % 2 == 0 ? noise : -noise));
  }
  return nights;
}

std::vector<double> normal_nights(std::uint64_t seed, std::size_t count, double deviation,
                                  const std::function<double(std::size_t)>& level) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> nights;
  for (std::size_t i = 0; i < count; ++i) nights.push_back(level(i) + noise(random));
  return nights;
}

TEST_CASE("a step is found after three nights, at its place, with both levels") {
  for (const double sign : {1.0, -1.0}) {
    const std::vector<Found> found = found_in(step(0, sign * 0.05));
    REQUIRE(found.size() == 1);
    CHECK(found[0].night == 42);
    CHECK(found[0].change.nights_after == 3);
    CHECK(found[0].change.before == 0);
    CHECK(found[0].change.after == sign * 0.05);
    CHECK(found[0].change.statistic * sign > 0);
    CHECK_FALSE(found[0].change.is_creep);
  }
}

// Alternating by 0.002, successive nights differ by 0.004. The last three nights are far above.
TEST_CASE("the statistic is the difference of the means in its standard deviations") {
  const std::vector<Found> found = found_in(step(0.002, 0.06, 3));
  REQUIRE(found.size() == 1);
  // The step is among the 42 differences, as three standard deviations of one at most.
  const double usual = 0.004 / 0.6745;
  const double variance = (41 * 0.004 * 0.004 / 2 + 9 * usual * usual / 2) / 42;
  // A night counts as eight standard deviations from the median at most. Of the 43 nights 20 are
  // -0.002, and 20 are 0.002.
  const double deviation = std::sqrt(variance);
  const double counted = 0.002 + 8 * deviation;
  REQUIRE(counted < 0.058);
  const double expected = counted / (deviation * std::sqrt(1.0 / 3 + 1.0 / 40));
  CHECK(found[0].change.statistic == Approx(expected));
}

TEST_CASE("a change in the first nights is found in its place once the variance is known") {
  std::vector<double> nights = step(0.002, 0.06);
  nights.erase(nights.begin(), nights.begin() + 36);
  const std::vector<Found> found = found_in(nights);
  REQUIRE(found.size() == 1);
  CHECK(found[0].night >= 9);
  CHECK(found[0].night <= 11);
  CHECK(found[0].change.nights_after == found[0].night - 3);
  CHECK(found[0].change.most_after == found[0].night - 3);
}

TEST_CASE("what does not last is no change") {
  std::vector<double> nights = step(0.01, 0, 40);
  CHECK(found_in(nights).empty());
  nights[50] += 2;  // one wild night, or two
  CHECK(found_in(nights).empty());
  nights[51] += 2;
  CHECK(found_in(nights).empty());
  // Three nights, of which the last is as before.
  nights = step(0.001, 0.1, 2);
  nights.push_back(0);
  CHECK(found_in(nights).empty());
}

TEST_CASE("a change smaller than the smallest that matters is not reported") {
  CHECK(found_in(step(0, 0.019)).empty());
  CHECK(found_in(step(0, 0.021)).size() == 1);
}

TEST_CASE("a level that returns is a second change, from where the first had gone") {
  std::vector<double> nights = step(0.004, 0.1, 20);
  for (const double night : step(0.004, 0, 0)) nights.push_back(night);
  const std::vector<Found> found = found_in(nights);
  REQUIRE(found.size() == 2);
  CHECK(found[1].change.before == Approx(0.1).margin(0.004));
  CHECK(found[1].change.after == Approx(0).margin(0.005));
  CHECK(found[1].night == 62);
}

// The rates that follow are far from those required, so that the seed does not matter.
TEST_CASE("nights of equal programs make no finding") {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    found += found_in(normal_nights(seed, 200, 0.03, [](std::size_t) { return -0.4; })).size();
  }
  CHECK(found <= 3);  // of 60,000 nights
}

TEST_CASE("five percent more are found within a week where nights differ by one and a half") {
  int in_time = 0;
  int in_range = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto level = [](std::size_t night) { return night < 50 ? 0 : std::log(1.05); };
    const std::vector<Found> found = found_in(normal_nights(seed, 57, 0.015, level));
    if (found.size() != 1 || found[0].night < 50) continue;
    ++in_time;
    const std::size_t after = found[0].night - 49;
    in_range += found[0].change.fewest_after <= after && found[0].change.most_after >= after;
  }
  CHECK(in_time >= 190);
  CHECK(in_range >= 170);
}

TEST_CASE("a percent a week is found within five weeks, as a creep") {
  int found_creeps = 0;
  int creeps = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto level = [](std::size_t night) {
      return night < 50 ? 0 : std::log(1.01) * static_cast<double>(night - 49) / 7;
    };
    const std::vector<Found> found = found_in(normal_nights(seed, 85, 0.015, level));
    if (found.empty()) continue;
    ++found_creeps;
    creeps += found[0].change.is_creep;
  }
  CHECK(found_creeps >= 190);
  CHECK(creeps >= found_creeps / 2);
}

TEST_CASE("what a chart remembers does not grow, and is all that it needs") {
  const auto level = [](std::size_t night) { return night < 150 ? 0 : 0.1; };
  const std::vector<double> nights = normal_nights(1, 300, 0.01, level);
  ChartState state;
  for (std::size_t i = 0; i < 120; ++i) add_night(state, nights[i]);
  CHECK(state.window.size() == kChartWindow);
  CHECK(state.older_nights == 120 - kChartWindow);
  CHECK(state.older_mean == Approx(0).margin(0.01));
  CHECK(std::sqrt(state.variance) == Approx(0.01).margin(0.003));
  CHECK(recent_level(state) == Approx(0).margin(0.02));
  std::size_t found = 0;
  for (std::size_t i = 120; i < 300; ++i) found += add_night(state, nights[i]).has_value();
  CHECK(found == 1);
  CHECK(recent_level(state) == Approx(0.1).margin(0.02));
}

TEST_CASE("a first night alone says nothing") {
  ChartState state;
  CHECK_FALSE(add_night(state, 1.5));
  CHECK(recent_level(state) == 1.5);
}

}  // namespace
}  // namespace tailgate
