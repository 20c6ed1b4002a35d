#include "harness/stats/counted_rates.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <vector>

#include "harness/stats/distributions.h"
#include "harness/stats/sequential.h"

namespace tailgate {
namespace {

const Looks kCountLooks = {
    .rounds = {15, 30, 50}, .false_fail = 0.001, .false_pass = 0.05, .patterns = 4096};
constexpr int kGates = 400;
// Of 400 gates, 5 % are 20; more than 33 happen to a procedure that keeps them once in 300.
constexpr int kMostWrong = 33;

// What a round of each side may be like.
struct Source {
  double rate = 0;       // of counts a round
  double burst = 1;      // counts that come together
  double scatter = 0;    // standard deviation of a round's own rate, as a share; each side its own
  double scattered = 0;  // likewise, shared by both sides of a round
};

// A factor with a mean of 1.
double factor(std::mt19937_64& random, double scatter) {
  if (scatter <= 0) return 1;
  const double shape = 1 / (scatter * scatter);
  return std::gamma_distribution<double>(shape, 1 / shape)(random);
}

double draw(std::mt19937_64& random, const Source& source, double shared) {
  const double mean = source.rate / source.burst * shared * factor(random, source.scatter);
  if (mean <= 0) return 0;
  return source.burst * static_cast<double>(std::poisson_distribution<int>(mean)(random));
}

CountRounds rounds_of(std::mt19937_64& random, const Source& a, const Source& b) {
  CountRounds counts;
  for (int round = 0; round < 50; ++round) {
    const double shared = factor(random, a.scattered);
    counts.a.push_back(draw(random, a, shared));
    counts.b.push_back(draw(random, b, shared));
  }
  return counts;
}

PairedMetric metric_of(CountRounds counts, const CountMargin& margin) {
  PairedMetric metric;
  for (std::size_t i = 0; i < counts.a.size(); ++i) {
    metric.effects.push_back(counts.b[i] - counts.a[i]);
  }
  metric.margin = margin.extra;
  metric.counts = CountedRounds{std::move(counts), margin};
  return metric;
}

// How many of 400 gates decide what.
std::map<Decision, int> gates(const Source& a, const Source& b, const CountMargin& margin) {
  std::mt19937_64 random(7);
  std::map<Decision, int> decided;
  for (int gate = 0; gate < kGates; ++gate) {
    ++decided[decide({metric_of(rounds_of(random, a, b), margin)}, kCountLooks).decision];
  }
  return decided;
}

// Garwood's table, 95 %.
TEST_CASE("limits of Poisson means") {
  CHECK(poisson_upper_limit(0, 0.025) == Approx(3.689).margin(5e-4));
  CHECK(poisson_lower_limit(0, 0.025) == 0);
  CHECK(poisson_lower_limit(5, 0.025) == Approx(1.623).margin(5e-4));
  CHECK(poisson_upper_limit(5, 0.025) == Approx(11.668).margin(5e-4));
  CHECK(poisson_lower_limit(10, 0.025) == Approx(4.795).margin(5e-4));
  CHECK(poisson_upper_limit(10, 0.025) == Approx(18.390).margin(5e-4));
  CHECK_THROWS_AS(poisson_upper_limit(-1, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(poisson_upper_limit(NAN, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(poisson_lower_limit(1, 1), std::invalid_argument);
}

TEST_CASE("without a count on side A the limits are those of side B alone") {
  const CountRounds counts = {{0, 0, 0, 0}, {2, 1, 1, 1}, 1};
  const ExcessLimits limits = excess_limits(counts, 4, 0.5, 0.025);
  CHECK(limits.estimate == Approx(5.0 / 4));
  CHECK(limits.high == Approx(poisson_upper_limit(5, 0.025) / 4));
  const CountTest test = count_test(counts, 4, {poisson_upper_limit(5, 0.025) / 4, 0});
  CHECK(test.p_beyond == Approx(0.025).epsilon(1e-6));
  CHECK(test.p_within == 1);
}

// P(no event) = exp(-rate * exposure).
TEST_CASE("nothing counted tells a rate as Poisson's distribution says") {
  const CountRounds counts = {{0, 0, 0}, {0, 0, 0}, 2};
  CHECK(count_test(counts, 3, {0.25, 0.5}).p_beyond == Approx(std::exp(-1.5)).epsilon(1e-6));
  CHECK(count_test(counts, 3, {0.5, 0.5}).p_beyond == Approx(std::exp(-3.0)).epsilon(1e-6));
  CHECK(count_test(counts, 2, {0.5, 0.5}).p_beyond == Approx(std::exp(-2.0)).epsilon(1e-6));
}

TEST_CASE("a rate at its margin passes and fails as rarely as agreed", "[long]") {
  const CountMargin margin = {0.25, 0.25};
  const double base = GENERATE(0.0, 0.2, 2.0, 40.0);
  const double scattered = GENERATE(0.0, 0.5);
  const Source a = {.rate = base, .scattered = scattered};
  const Source b = {.rate = base * 1.25 + 0.25, .scattered = scattered};
  INFO("base " << base << " scattered " << scattered);
  std::map<Decision, int> decided = gates(a, b, margin);
  CHECK(decided[Decision::pass] <= kMostWrong);
  CHECK(decided[Decision::fail] <= 3);
}

TEST_CASE("counts that come in bursts, or scatter from round to round, pass no more often",
          "[long]") {
  const CountMargin margin = {2, 0.25};
  const double burst = GENERATE(1.0, 20.0);
  const double scatter = GENERATE(0.0, 1.0);
  const Source a = {.rate = 40, .burst = burst, .scatter = scatter};
  const Source b = {.rate = 40 * 1.25 + 2, .burst = burst, .scatter = scatter};
  INFO("burst " << burst << " scatter " << scatter);
  std::map<Decision, int> decided = gates(a, b, margin);
  CHECK(decided[Decision::pass] <= kMostWrong);
  CHECK(decided[Decision::fail] <= 3);
}

TEST_CASE("equal rates pass, never fail, and far higher ones fail", "[long]") {
  const double base = GENERATE(0.0, 2.0, 40.0);
  const Source a = {.rate = base, .scattered = 0.5};
  INFO("base " << base);
  CHECK(gates(a, a, {0.25, 1})[Decision::fail] == 0);
  CHECK(gates(a, a, {1, 1})[Decision::pass] >= kGates * 95 / 100);
  const Source b = {.rate = 3 * base + 2, .scattered = 0.5};
  CHECK(gates(a, b, {0.25, 0.5})[Decision::fail] >= kGates * 95 / 100);
}

TEST_CASE("counts that cannot be compared are refused") {
  CHECK_THROWS_AS(count_test({{1}, {}, 1}, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(count_test({{1}, {1}, 1}, 0, {}), std::invalid_argument);
  CHECK_THROWS_AS(count_test({{1}, {1}, 0}, 1, {}), std::invalid_argument);
  CHECK_THROWS_AS(excess_limits({{1}, {1}, 1}, 1, 0, 0.5), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
