#include "harness/stats/rank_sum.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace tailgate {
namespace {

RankSumResult test_of(const std::vector<double>& a, const std::vector<double>& b) {
  return rank_sum_test({{a, b}}, Relabellings::up_to(a.size(), b.size(), 200'000, 1)).front();
}

// The null distribution of the Mann-Whitney statistic is in every textbook's table: of 4 and 4
// values, U >= 15 has 2 of 70 relabellings, U >= 14 has 4.
TEST_CASE("p values of the tabulated rank sums") {
  CHECK(test_of({1, 2, 3, 4}, {5, 6, 7, 8}).p_above == Approx(1.0 / 70));
  CHECK(test_of({1, 2, 3, 5}, {4, 6, 7, 8}).p_above == Approx(2.0 / 70));
  CHECK(test_of({1, 2, 4, 5}, {3, 6, 7, 8}).p_above == Approx(4.0 / 70));
  CHECK(test_of({5, 6, 7, 8}, {1, 2, 3, 4}).p_below == Approx(1.0 / 70));
}

// Ranks by hand: 1, 2.5 of A and 2.5, 4 of B. Of the 6 sums of two ranks 6.5, 5, 5, 5, 3.5 and
// 3.5 + ... : {1,2.5} 3.5 twice, {2.5,2.5} 5, {1,4} 5, {2.5,4} 6.5 twice.
TEST_CASE("equal values share their ranks") {
  CHECK(test_of({1, 2}, {2, 3}).p_above == Approx(2.0 / 6));
}

TEST_CASE("values that are all equal say nothing") {
  const RankSumResult result = test_of({3, 3, 3, 3}, {3, 3, 3});
  CHECK(result.statistic == 0);
  CHECK(result.p_above == 1);
  CHECK(result.p_below == 1);
}

TEST_CASE("all relabellings are there once, and the first is the observed one") {
  const Relabellings all = Relabellings::up_to(4, 3, 100, 1);
  REQUIRE(all.count() == 35);
  std::set<std::set<int>> seen;
  for (std::size_t i = 0; i < all.count(); ++i) {
    seen.insert({all.chosen(i).begin(), all.chosen(i).end()});
  }
  CHECK(seen.size() == 35);
  CHECK(std::set<int>(all.chosen(0).begin(), all.chosen(0).end()) == std::set<int>{4, 5, 6});
  CHECK(count_relabellings(10, 10, 1'000'000) == 184'756);
  CHECK(count_relabellings(50, 50, 1000) == 1000);
}

TEST_CASE("drawn relabellings choose every value about equally often") {
  const Relabellings drawn = Relabellings::up_to(20, 12, 16'000, 7);
  REQUIRE(drawn.count() == 16'000);
  std::vector<int> times(32);
  for (std::size_t i = 0; i < drawn.count(); ++i) {
    std::set<int> places;
    for (const std::uint16_t place : drawn.chosen(i)) {
      ++times.at(place);
      places.insert(place);
    }
    REQUIRE(places.size() == 12);
  }
  for (const int count : times) CHECK(std::abs(count - 6000) < 5 * 61);  // binomial, 5 deviations
}

// Two copies of a metric say no more than one; the p value must not grow. Independent noise beside
// it makes it grow.
TEST_CASE("many metrics together") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  TwoGroups changed;
  for (int i = 0; i < 8; ++i) {
    changed.a.push_back(noise(random));
    changed.b.push_back(noise(random) + 2);
  }
  const Relabellings relabellings = Relabellings::up_to(8, 8, 20'000, 1);
  const auto twice = rank_sum_test({changed, changed}, relabellings);
  CHECK(twice[0].p_above_adjusted == twice[0].p_above);
  std::vector<TwoGroups> many = {changed};
  for (int metric = 0; metric < 20; ++metric) {
    TwoGroups& same = many.emplace_back();
    for (int i = 0; i < 8; ++i) {
      same.a.push_back(noise(random));
      same.b.push_back(noise(random));
    }
  }
  const auto among = rank_sum_test(many, relabellings);
  CHECK(among[0].p_above_adjusted >= among[0].p_above);
  CHECK(among[0].p_above_adjusted <= 21 * among[0].p_above + 1e-12);  // Bonferroni
}

TEST_CASE("the shift's estimate is the median of all differences") {
  const std::vector<double> a = {1, 4, 6};
  const std::vector<double> b = {2, 7};
  // 1, 6, -2, 3, -4, 1: in order -4, -2, 1, 1, 3, 6.
  const ShiftInterval interval = shift_interval(a, b, 0.95);
  CHECK(interval.estimate == 1);
  CHECK_FALSE(interval.low.has_value());
}

// Of 5 and 5 values the exact 95 % interval goes from the third to the twenty-third difference:
// of 252 relabellings 4 have U <= 2, and 7 have U <= 3.
TEST_CASE("the interval's ends are the tabulated differences") {
  const std::vector<double> a = {0, 0, 0, 0, 0};
  const std::vector<double> b = {1, 2, 3, 4, 5};
  const ShiftInterval interval = shift_interval(a, b, 0.95);
  CHECK(*interval.low == 1);
  CHECK(*interval.high == 5);
  const std::vector<double> apart = {0, 100, 200, 300, 400};
  std::vector<double> differences;
  for (const double x : apart) {
    for (const double y : b) differences.push_back(y - x);
  }
  std::sort(differences.begin(), differences.end());
  CHECK(*shift_interval(apart, b, 0.95).low == differences[2]);
  CHECK(*shift_interval(apart, b, 0.95).high == differences[22]);
}

TEST_CASE("the interval holds the shift about as often as it says") {
  std::mt19937_64 random(11);
  std::student_t_distribution<double> heavy(3);
  const std::size_t count = GENERATE(6, 12, 25);
  constexpr double kShift = 0.7;
  constexpr int kTimes = 2000;
  int held = 0;
  for (int time = 0; time < kTimes; ++time) {
    TwoGroups groups;
    for (std::size_t i = 0; i < count; ++i) {
      groups.a.push_back(heavy(random));
      groups.b.push_back(heavy(random) + kShift);
    }
    const ShiftInterval interval = shift_interval(groups.a, groups.b, 0.95);
    held += *interval.low <= kShift && kShift <= *interval.high ? 1 : 0;
  }
  CHECK(held > 0.935 * kTimes);
}

TEST_CASE("sizes that do not fit are refused") {
  CHECK_THROWS_AS(Relabellings::up_to(0, 3, 10, 1), std::invalid_argument);
  const Relabellings three = Relabellings::up_to(3, 3, 100, 1);
  CHECK_THROWS_AS(rank_sum_test({{{1, 2}, {1, 2, 3}}}, three), std::invalid_argument);
  CHECK_THROWS_AS(rank_sum_test({{{1, 2, NAN}, {1, 2, 3}}}, three), std::invalid_argument);
  CHECK_THROWS_AS(shift_interval({}, {}, 0.95), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
