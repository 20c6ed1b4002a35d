#include "harness/stats/distributions.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

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

// Critical values as every table of the F distribution prints them (e.g. NIST/SEMATECH e-Handbook
// of Statistical Methods, 1.3.6.7.3).
TEST_CASE("quantiles of Fisher's F are those of the tables") {
  CHECK(fisher_f_quantile(0.95, 1, 1) == Approx(161.448).margin(0.001));
  CHECK(fisher_f_quantile(0.95, 19, 60) == Approx(1.763).margin(0.001));
  CHECK(fisher_f_quantile(0.95, 5, 10) == Approx(3.326).margin(0.001));
  CHECK(fisher_f_quantile(0.99, 2, 12) == Approx(6.927).margin(0.001));
  // The square of Student's t.
  CHECK(fisher_f_quantile(0.9, 1, 7) == Approx(std::pow(student_t_quantile(0.95, 7), 2)));
}

// None of n: (1 - p)^n. All but all of them: 1 - p^n. At most 1 of 3: (1 - p)^2 (1 + 2 p).
TEST_CASE("binomial probabilities agree with closed forms") {
  const double p = GENERATE(0.0, 0.001, 0.2, 0.5, 0.77, 0.9999, 1.0);
  CHECK(binomial_at_most(0, 7, p) == Approx(std::pow(1 - p, 7)).epsilon(1e-12));
  CHECK(binomial_at_most(6, 7, p) == Approx(1 - std::pow(p, 7)).epsilon(1e-12));
  CHECK(binomial_at_most(1, 3, p) == Approx((1 - p) * (1 - p) * (1 + 2 * p)).epsilon(1e-12));
  CHECK(binomial_at_most(7, 7, p) == 1);
}

TEST_CASE("a bound leaves its tail") {
  const double tail = GENERATE(0.4, 0.025, 1e-6);
  CHECK(1 - binomial_at_most(12, 20, binomial_lower_bound(13, 20, tail)) ==
        Approx(tail).epsilon(1e-8));
  CHECK(binomial_at_most(13, 20, binomial_upper_bound(13, 20, tail)) == Approx(tail).epsilon(1e-8));
}

TEST_CASE("what no distribution has is refused") {
  CHECK_THROWS_AS(student_t_quantile(0.5, 0), std::invalid_argument);
  CHECK_THROWS_AS(student_t_quantile(1, 3), std::invalid_argument);
  CHECK_THROWS_AS(fisher_f_quantile(0.5, 0, 3), std::invalid_argument);
  CHECK_THROWS_AS(fisher_f_quantile(0, 3, 3), std::invalid_argument);
  CHECK_THROWS_AS(binomial_at_most(3, 2, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(binomial_at_most(1, 2, 1.5), std::invalid_argument);
  CHECK_THROWS_AS(binomial_lower_bound(0, 0, 0.025), std::invalid_argument);
  CHECK_THROWS_AS(binomial_upper_bound(1, 2, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
