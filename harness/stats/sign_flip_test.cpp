#include "harness/stats/sign_flip.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

constexpr double kUnclipped = std::numeric_limits<double>::infinity();

using Effects = std::vector<std::vector<double>>;

// Symmetric, heavy-tailed (Student's t with two degrees of freedom), every metric with a part that
// all share.
Effects heavy_tailed(std::size_t metrics, std::size_t rounds, unsigned seed) {
  std::mt19937_64 random(seed);
  std::student_t_distribution<double> heavy(2);
  Effects effects(metrics, std::vector<double>(rounds));
  for (std::size_t round = 0; round < rounds; ++round) {
    const double shared = heavy(random);
    for (std::vector<double>& metric : effects) metric[round] = shared + heavy(random);
  }
  return effects;
}

double signed_effect(const Effects& effects, const SignFlips& flips, std::size_t pattern,
                     std::size_t metric, std::size_t round) {
  const bool flipped = (flips.byte(pattern, round / 8) >> round % 8 & 1) != 0;
  return flipped ? -effects[metric][round] : effects[metric][round];
}

Effects flipped(const Effects& effects, const SignFlips& flips, std::size_t pattern) {
  Effects result = effects;
  for (std::size_t metric = 0; metric < effects.size(); ++metric) {
    for (std::size_t round = 0; round < flips.rounds(); ++round) {
      result[metric][round] = signed_effect(effects, flips, pattern, metric, round);
    }
  }
  return result;
}

// Darwin's fifteen pairs of maize, cross-fertilised less self-fertilised in eighths of an inch.
// Fisher, The Design of Experiments, section 21: of 32,768 sums 863 are at least as large.
TEST_CASE("Fisher's randomisation of Darwin's maize") {
  const Effects differences = {{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}};
  const auto result = sign_flip_test(differences, SignFlips::all(15), kUnclipped).front();
  CHECK(result.p_above == 863.0 / 32768);
  CHECK(result.p_above_adjusted == result.p_above);
}

// Four rounds in two clusters: the median size is 2, u = 0.5, 1, 1.5, -2, the clusters' sums are 2
// and -1, and the four signed sums are 1, -3, 3, -1, of which two are at least 1.
TEST_CASE("two clusters by hand") {
  const Clusters clusters = {7, 3, 7, 3};
  const auto result =
      sign_flip_test({{1, 2, 3, -4}}, SignFlips::all(2), kUnclipped, clusters).front();
  CHECK(result.statistic == Approx(1 / std::sqrt(5)));
  CHECK(result.p_above == 0.5);
  CHECK(result.p_below == 0.75);
  CHECK(count_clusters(clusters, 4) == 2);
  CHECK(count_clusters({}, 4) == 4);
  CHECK(cluster_means({1, 2, 3, std::nan("")}, clusters) == std::vector<double>{2, 2});
  CHECK_THROWS_AS(sign_flip_test({{1, 2, 3}}, SignFlips::all(3), kUnclipped, {1, 1, 2}),
                  std::invalid_argument);
}

// Rounds of one cluster depend on each other as much as they can: each occurs twice. By clusters
// the p value is that of single rounds; by rounds it claims more than there is.
TEST_CASE("a round that is repeated tells nothing new") {
  const Effects once = {{3, -1, 4, 1, 5, -2, 6, 5}};
  Effects twice = {{}};
  Clusters clusters;
  for (std::size_t i = 0; i < 2 * once[0].size(); ++i) {
    twice[0].push_back(once[0][i / 2]);
    clusters.push_back(i / 2);
  }
  const auto expected = sign_flip_test(once, SignFlips::all(8)).front();
  const auto clustered = sign_flip_test(twice, SignFlips::all(8), kSignFlipClip, clusters).front();
  CHECK(clustered.p_above == expected.p_above);
  CHECK(clustered.statistic == Approx(expected.statistic));
  CHECK(sign_flip_test(twice, SignFlips::all(16)).front().p_above < expected.p_above / 2);
}

// By hand: the median size is 2, u = 0.5, 1, -1.5; the eight signed sums are 3, 2, 1, 0, 0, -1,
// -2, -3 and the observed one is 0.
TEST_CASE("three rounds by hand") {
  const auto result = sign_flip_test({{1, 2, -3}}, SignFlips::all(3)).front();
  CHECK(result.statistic == Approx(0).margin(1e-12));
  CHECK(result.p_above == 5.0 / 8);
  CHECK(result.p_below == 5.0 / 8);
}

// u = 1, 1, 2, the last of them 50 before it was limited: T = 4 / sqrt(6).
TEST_CASE("a wild round counts as twice the median") {
  const auto result = sign_flip_test({{1, 1, 50}}, SignFlips::all(3)).front();
  CHECK(result.statistic == Approx(4 / std::sqrt(6.0)));
  const auto classical = sign_flip_test({{1, 1, 50}}, SignFlips::all(3), kUnclipped).front();
  CHECK(classical.statistic == Approx(52 / std::sqrt(2502.0)));
}

TEST_CASE("effects that are all 0 say nothing") {
  const auto results = sign_flip_test({{0, 0, 0, 0}, {1, 1, 1, 1}}, SignFlips::all(4));
  CHECK(results[0].p_above == 1);
  CHECK(results[0].p_below == 1);
  CHECK(results[0].p_above_adjusted == 1);
  CHECK(results[1].p_above == 1.0 / 16);
}

// The scale of counts that are mostly 0 is that of those that are not.
TEST_CASE("rounds without an effect change nothing") {
  const auto few = sign_flip_test({{3, 1, -2, 1}}, SignFlips::all(4)).front();
  const auto many = sign_flip_test({{3, 0, 1, 0, 0, -2, 0, 1, 0, 0}}, SignFlips::all(10)).front();
  CHECK(many.statistic == Approx(few.statistic));
  CHECK(many.p_above == few.p_above);
  CHECK(many.p_below == few.p_below);
}

// The step-down is closed testing in short (Westfall and Young 1993, 2.8): a metric's adjusted p is
// the largest p of all groups of metrics that it is in, each tested by its largest statistic.
TEST_CASE("adjusted p values are those of closed testing") {
  constexpr std::size_t kMetrics = 4;
  constexpr std::size_t kRounds = 7;
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  Effects effects = heavy_tailed(kMetrics, kRounds, seed);
  for (double& effect : effects[1]) effect += 3;
  for (double& effect : effects[2]) effect += 1;
  const SignFlips flips = SignFlips::all(kRounds);
  Effects statistics(kMetrics);
  for (std::size_t pattern = 0; pattern < flips.patterns(); ++pattern) {
    const auto results = sign_flip_test(flipped(effects, flips, pattern), flips);
    for (std::size_t metric = 0; metric < kMetrics; ++metric) {
      statistics[metric].push_back(results[metric].statistic);
    }
  }
  const auto largest = [&](std::size_t group, std::size_t pattern) {
    double value = std::numeric_limits<double>::lowest();
    for (std::size_t metric = 0; metric < kMetrics; ++metric) {
      if ((group >> metric & 1) != 0) value = std::max(value, statistics[metric][pattern]);
    }
    return value;
  };
  std::vector<double> expected(kMetrics);
  for (std::size_t group = 1; group < 1U << kMetrics; ++group) {
    std::size_t at_least = 0;
    for (std::size_t pattern = 0; pattern < flips.patterns(); ++pattern) {
      at_least += largest(group, pattern) >= largest(group, 0) - 1e-9 ? 1U : 0U;
    }
    const double p = static_cast<double>(at_least) / static_cast<double>(flips.patterns());
    for (std::size_t metric = 0; metric < kMetrics; ++metric) {
      if ((group >> metric & 1) != 0) expected[metric] = std::max(expected[metric], p);
    }
  }
  const auto results = sign_flip_test(effects, flips);
  for (std::size_t metric = 0; metric < kMetrics; ++metric) {
    INFO("seed " << seed << " metric " << metric);
    CHECK(results[metric].p_above_adjusted == expected[metric]);
  }
}

// Exactness: of all the sign patterns that equal behaviour makes equally likely, a share of at most
// alpha is rejected at alpha in any metric.
TEST_CASE("equal behaviour is rejected no more often than the level says") {
  constexpr std::size_t kRounds = 9;
  const unsigned seed = GENERATE(11U, 12U, 13U);
  const Effects effects = heavy_tailed(3, kRounds, seed);
  const SignFlips flips = SignFlips::all(kRounds);
  std::vector<double> least;
  for (std::size_t pattern = 0; pattern < flips.patterns(); ++pattern) {
    double p = 1;
    for (const auto& result : sign_flip_test(flipped(effects, flips, pattern), flips)) {
      p = std::min(p, result.p_above_adjusted);
    }
    least.push_back(p);
  }
  for (const double alpha : {1.0 / 512, 0.01, 0.05, 0.3}) {
    const auto rejected =
        std::count_if(least.begin(), least.end(), [&](double p) { return p <= alpha; });
    INFO("seed " << seed << " alpha " << alpha);
    CHECK(static_cast<double>(rejected) <= alpha * 512);
    // And it is not idle: but for ties among the sums it uses the level up.
    CHECK(static_cast<double>(rejected) > alpha * 512 - 3);
  }
}

TEST_CASE("drawn patterns agree with all patterns") {
  const Effects effects = heavy_tailed(5, 13, 21);
  const auto exact = sign_flip_test(effects, SignFlips::all(13));
  constexpr std::size_t kPatterns = 16'384;
  const auto drawn = sign_flip_test(effects, SignFlips::drawn(13, kPatterns, 3));
  for (std::size_t metric = 0; metric < effects.size(); ++metric) {
    // Four standard errors of a share.
    const auto error = [&](double p) { return 4 * std::sqrt(p * (1 - p) / kPatterns) + 1e-4; };
    CHECK(drawn[metric].statistic == Approx(exact[metric].statistic));
    CHECK(std::abs(drawn[metric].p_above - exact[metric].p_above) < error(exact[metric].p_above));
    CHECK(std::abs(drawn[metric].p_below - exact[metric].p_below) < error(exact[metric].p_below));
    CHECK(std::abs(drawn[metric].p_above_adjusted - exact[metric].p_above_adjusted) <
          error(exact[metric].p_above_adjusted));
  }
}

TEST_CASE("patterns: the first flips nothing, and all is all of them once") {
  const SignFlips all = SignFlips::all(10);
  REQUIRE(all.patterns() == 1024);
  std::vector<unsigned> seen;
  for (std::size_t pattern = 0; pattern < all.patterns(); ++pattern) {
    seen.push_back(all.byte(pattern, 0) + 256U * all.byte(pattern, 1));
  }
  CHECK(seen.front() == 0);
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
  CHECK(seen.back() == 1023);
  const SignFlips drawn = SignFlips::drawn(50, 100, 1);
  for (std::size_t i = 0; i < drawn.bytes_per_pattern(); ++i) CHECK(drawn.byte(0, i) == 0);
  CHECK(SignFlips::up_to(14, 16'384, 1).patterns() == 16'384);
  CHECK(SignFlips::up_to(15, 16'384, 1).patterns() == 16'384);
  CHECK(SignFlips::up_to(5, 16'384, 1).patterns() == 32);
}

TEST_CASE("the order of rounds and of metrics does not matter") {
  const Effects effects = heavy_tailed(3, 8, 31);
  const SignFlips flips = SignFlips::all(8);
  const auto before = sign_flip_test(effects, flips);
  Effects moved = {effects[2], effects[0], effects[1]};
  for (std::vector<double>& metric : moved)
    std::rotate(metric.begin(), metric.begin() + 3, metric.end());
  const auto after = sign_flip_test(moved, flips);
  for (std::size_t metric = 0; metric < 3; ++metric) {
    const SignFlipResult& result = after[(metric + 1) % 3];
    CHECK(result.p_above == before[metric].p_above);
    CHECK(result.p_below == before[metric].p_below);
    CHECK(result.p_above_adjusted == before[metric].p_above_adjusted);
  }
}

TEST_CASE("the unit of the effects does not matter, and the two sides mirror each other") {
  const Effects effects = heavy_tailed(2, 8, 32);
  Effects mirrored = effects;
  for (std::vector<double>& metric : mirrored) {
    for (double& effect : metric) effect *= -1000;
  }
  const SignFlips flips = SignFlips::all(8);
  const auto plain = sign_flip_test(effects, flips);
  const auto mirror = sign_flip_test(mirrored, flips);
  for (std::size_t metric = 0; metric < 2; ++metric) {
    CHECK(mirror[metric].p_above == plain[metric].p_below);
    CHECK(mirror[metric].p_below == plain[metric].p_above);
  }
}

// A pattern's sum is at least the observed one where the effects that it flips sum to 0 or less; a
// larger margin makes every such sum smaller.
TEST_CASE("a larger margin is never easier to exceed") {
  const Effects effects = heavy_tailed(1, 10, GENERATE(41U, 42U, 43U));
  const SignFlips flips = SignFlips::all(10);
  double above = 0;
  double below = 1;
  for (double margin = -8; margin <= 8; margin += 0.25) {
    Effects shifted = effects;
    for (double& effect : shifted[0]) effect -= margin;
    const auto result = sign_flip_test(shifted, flips, kUnclipped).front();
    CHECK(result.p_above >= above);
    CHECK(result.p_below <= below);
    above = result.p_above;
    below = result.p_below;
  }
  CHECK(above == 1);
}

TEST_CASE("a round without an effect counts on neither side") {
  const std::vector<double> four = {1, 2, -0.5, 3};
  const std::vector<double> five = {1, 2, std::nan(""), -0.5, 3};
  const SignFlipResult with = sign_flip_test({five}, SignFlips::all(5)).front();
  const SignFlipResult without = sign_flip_test({four}, SignFlips::all(4)).front();
  CHECK(with.statistic == Approx(without.statistic));
  CHECK(with.p_above == Approx(without.p_above));
}

TEST_CASE("what cannot be tested is refused") {
  const SignFlips flips = SignFlips::all(3);
  CHECK_THROWS_AS(sign_flip_test({{1, 2}}, flips), std::invalid_argument);
  CHECK_THROWS_AS(sign_flip_test({{1, 2, INFINITY}}, flips), std::invalid_argument);
  CHECK_THROWS_AS(sign_flip_test({{1, 2, 3}}, flips, 0), std::invalid_argument);
  CHECK_THROWS_AS(SignFlips::all(21), std::invalid_argument);
  CHECK_THROWS_AS(SignFlips::drawn(5, 0, 1), std::invalid_argument);
  CHECK(sign_flip_test({}, flips).empty());
}

}  // namespace
}  // namespace tailgate
