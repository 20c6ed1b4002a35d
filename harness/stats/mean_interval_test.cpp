#include "harness/stats/mean_interval.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

// Critical values as every table of the t distribution prints them (e.g. NIST/SEMATECH e-Handbook
// of Statistical Methods, 1.3.6.7.2).
TEST_CASE("quantiles of Student's t are those of the tables") {
  struct Row {
    double p, degrees, t;
  };
  const Row row = GENERATE(Row{0.975, 1, 12.706}, Row{0.975, 2, 4.303}, Row{0.975, 3, 3.182},
                           Row{0.975, 4, 2.776}, Row{0.975, 9, 2.262}, Row{0.975, 30, 2.042},
                           Row{0.975, 100, 1.984}, Row{0.90, 1, 3.078}, Row{0.95, 5, 2.015},
                           Row{0.99, 10, 2.764}, Row{0.999, 7, 4.785}, Row{0.995, 2, 9.925});
  INFO(row.p << " " << row.degrees);
  CHECK(student_t_quantile(row.p, row.degrees) == Approx(row.t).margin(0.0005));
  CHECK(student_t_quantile(1 - row.p, row.degrees) == Approx(-row.t).margin(0.0005));
}

// Closed forms: one degree of freedom is the Cauchy distribution, two have an algebraic quantile.
TEST_CASE("quantiles of Student's t agree with closed forms") {
  const double p = GENERATE(0.5, 0.501, 0.6, 0.9, 0.999, 0.999999);
  const double pi = std::acos(-1.0);
  CHECK(student_t_quantile(p, 1) == Approx(std::tan(pi * (p - 0.5))).epsilon(1e-9).margin(1e-12));
  const double two = (2 * p - 1) * std::sqrt(2 / (4 * p * (1 - p)));
  CHECK(student_t_quantile(p, 2) == Approx(two).epsilon(1e-9).margin(1e-12));
}

// I_x(1, b) = 1 - (1 - x)^b; I_x(a, b) = 1 - I_{1-x}(b, a); I_x(2, 2) = 3 x^2 - 2 x^3.
TEST_CASE("the incomplete beta function agrees with closed forms") {
  const double x = GENERATE(0.0, 0.001, 0.2, 0.5, 0.77, 0.9999, 1.0);
  CHECK(incomplete_beta(x, 1, 7.5) == Approx(1 - std::pow(1 - x, 7.5)).epsilon(1e-12));
  CHECK(incomplete_beta(x, 2, 2) == Approx(3 * x * x - 2 * x * x * x).epsilon(1e-12));
  CHECK(incomplete_beta(x, 3.5, 0.5) ==
        Approx(1 - incomplete_beta(1 - x, 0.5, 3.5)).epsilon(1e-12).margin(1e-12));
}

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
  CHECK_THROWS_AS(student_t_quantile(0.5, 0), std::invalid_argument);
  CHECK_THROWS_AS(incomplete_beta(-0.1, 1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
