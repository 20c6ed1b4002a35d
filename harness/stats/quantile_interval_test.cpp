#include "harness/stats/quantile_interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

std::vector<double> one_to(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Ranks that tables of the sign test give for the 95 % interval of the median (e.g. Conover;
// Gibbons and Chakraborti, Nonparametric Statistical Inference).
TEST_CASE("ranks of the median's interval are those of the tables") {
  struct Row {
    std::size_t count;
    double low, high;
  };
  const Row row = GENERATE(Row{6, 1, 6}, Row{10, 2, 9}, Row{15, 4, 12}, Row{20, 6, 15},
                           Row{25, 8, 18}, Row{50, 18, 33}, Row{100, 40, 61});
  const QuantileInterval interval = quantile_interval(one_to(row.count), 0.5, 0.95);
  INFO(row.count);
  CHECK(interval.low == row.low);
  CHECK(interval.high == row.high);
  CHECK(interval.estimate == Approx(0.5 + static_cast<double>(row.count) / 2));
}

// Five values miss their median with 2 * 2^-5 = 6 %; the 99th percentile of 100 values can lie
// above all of them with 0.99^100 = 37 %.
TEST_CASE("a small sample does not bound what it cannot") {
  const QuantileInterval few = quantile_interval(one_to(5), 0.5, 0.95);
  CHECK_FALSE(few.low);
  CHECK_FALSE(few.high);
  const QuantileInterval tail = quantile_interval(one_to(100), 0.99, 0.95);
  CHECK(tail.low);
  CHECK_FALSE(tail.high);
  CHECK(quantile_interval(one_to(1), 0.5, 0.95).estimate == 1);
}

TEST_CASE("intervals hold the true quantile as often as they say") {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> exponential(1);
  constexpr int kSamples = 5000;
  const double p = GENERATE(0.5, 0.9);
  int held = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    std::vector<double> values(60);
    for (double& value : values) value = exponential(random);
    const QuantileInterval interval = quantile_interval(values, p, 0.9);
    const double truth = -std::log(1 - p);
    held += *interval.low <= truth && truth <= *interval.high ? 1 : 0;
  }
  // Three standard errors of a share of 0.9 in 5000 are 0.013.
  CHECK(static_cast<double>(held) / kSamples >= 0.9 - 0.013);
}

TEST_CASE("order does not matter, and the median of an even number is between the middle two") {
  const std::vector<double> values = {9, 1, 4, 2};
  CHECK(median(values) == 3);
  CHECK(median(std::vector<double>{7}) == 7);
  // One of 16 samples has all four values on one side of the median, 5 have three or more.
  CHECK(quantile_interval(values, 0.5, 0.5).low == 1);
  CHECK(quantile_interval(values, 0.5, 0.3).low == 2);
}

TEST_CASE("what has no quantile is refused") {
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
  CHECK_THROWS_AS(quantile_interval(one_to(3), 1, 0.95), std::invalid_argument);
  CHECK_THROWS_AS(quantile_interval(one_to(3), 0.5, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
