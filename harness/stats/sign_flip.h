// The sign-flip randomisation test for paired effects, over many metrics at once. Pure functions.
//
// When A and B do not differ, a round's effects are as likely with the opposite sign, all metrics
// of the round together. So every pattern of flipped rounds is as likely as the one observed,
// whatever the distribution of the effects and however the metrics depend on each other. The share
// of patterns that are at least as extreme is therefore an exact p value (Fisher, The Design of
// Experiments, 1935, section 21). The step-down by the largest statistic (Westfall and Young,
// Resampling-Based Multiple Testing, 1993) extends it to "any of the metrics".
//
// Rounds that share what chance made of the sides, such as the layout of both builds in memory, are
// a cluster. Their effects depend on each other, so they flip together: the patterns are then of
// clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailgate {

// Patterns of flipped rounds, or clusters of them; the first one flips none. The same patterns
// serve all metrics.
class SignFlips {
 public:
  // Every pattern of 1 to 20 rounds, 2^rounds of them. Throws std::invalid_argument.
  static SignFlips all(std::size_t rounds);

  // The pattern that flips none and `patterns` - 1 drawn at random, for at least one of each.
  // Counting the observed pattern keeps p values of drawn patterns valid (Phipson and Smyth,
  // Statistical Applications in Genetics and Molecular Biology 9, 2010). Throws
  // std::invalid_argument.
  static SignFlips drawn(std::size_t rounds, std::size_t patterns, std::uint64_t seed);

  // all() where those are no more than `patterns`, else drawn().
  static SignFlips up_to(std::size_t rounds, std::size_t patterns, std::uint64_t seed);

  std::size_t rounds() const { return rounds_; }
  std::size_t patterns() const { return bytes_.size() / bytes_per_pattern(); }

  // Rounds 8 i to 8 i + 7 of a pattern, the first in the lowest bit; a set bit flips its round.
  std::uint8_t byte(std::size_t pattern, std::size_t i) const {
    return bytes_[pattern * bytes_per_pattern() + i];
  }
  std::size_t bytes_per_pattern() const { return (rounds_ + 7) / 8; }

 private:
  SignFlips(std::size_t rounds, std::size_t patterns)
      : rounds_(rounds), bytes_(patterns * ((rounds + 7) / 8)) {}

  std::size_t rounds_;
  std::vector<std::uint8_t> bytes_;
};

struct SignFlipResult {
  double statistic = 0;         // about standard normal when the effects are symmetric about 0
  double p_above = 1;           // of an effect not above 0
  double p_above_adjusted = 1;  // the same for all metrics together: step-down by the largest
  double p_below = 1;           // of an effect not below 0
};

inline constexpr double kSignFlipClip = 2;

// The cluster of each round, as any numbers; empty: each round is one by itself.
using Clusters = std::vector<std::size_t>;

// The same as 0, 1, 2 … in the order in which they first occur, of the first `rounds` rounds, which
// there must be.
Clusters numbered_clusters(const Clusters& clusters, std::size_t rounds);

// How many there are among the first `rounds` rounds, which there must be.
std::size_t count_clusters(const Clusters& clusters, std::size_t rounds);

// The mean of each cluster's values, without those that are not a number; clusters of no others are
// left out. Values of `rounds` and clusters belong together.
std::vector<double> cluster_means(const std::vector<double>& rounds, const Clusters& clusters);

// Tests whether effects are above, or below, 0. effects[metric][round]: finite, or not a number
// where the round has none, which counts on neither side; to test against a margin, subtract it
// first. clusters: of the rounds, or empty; as many clusters as the flips have rounds. Each
// metric's statistic is sum(u) / sqrt(sum(u^2)), with u the cluster's sum of effect / median
// |effect|, each limited to -clip … clip so that a few wild rounds decide nothing; an infinite clip
// gives the classical test of the sum. The median is over the effects that are not 0, so that
// counts that are mostly 0 have a scale; effects all 0 have statistic 0 and p values of 1. One
// result a metric. Throws std::invalid_argument.
std::vector<SignFlipResult> sign_flip_test(const std::vector<std::vector<double>>& effects,
                                           const SignFlips& flips, double clip = kSignFlipClip,
                                           const Clusters& clusters = {});

}  // namespace tailgate
