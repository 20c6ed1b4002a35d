#include "harness/stats/sign_flip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <unordered_map>

#include "harness/stats/step_down.h"

namespace tailgate {
namespace {

constexpr std::size_t kMaxEnumeratedRounds = 20;

// The effects divided by their median size, limited, added up by cluster (numbered from 0), and
// divided by their length. Their sum, with a pattern's signs, is the statistic of that pattern.
std::vector<double> standardized(const std::vector<double>& effects, double clip,
                                 const Clusters& clusters, std::size_t count) {
  std::vector<double> sizes;
  for (const double effect : effects) {
    if (std::isinf(effect)) throw std::invalid_argument("sign_flip_test: a finite effect");
    if (effect != 0 && !std::isnan(effect)) sizes.push_back(std::abs(effect));
  }
  std::vector<double> scaled(count);
  if (sizes.empty()) return scaled;
  std::sort(sizes.begin(), sizes.end());
  const double scale = (sizes[(sizes.size() - 1) / 2] + sizes[sizes.size() / 2]) / 2;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (!std::isnan(effects[i])) scaled[clusters[i]] += std::clamp(effects[i] / scale, -clip, clip);
  }
  double squares = 0;
  for (const double value : scaled) squares += value * value;
  if (squares == 0) return scaled;  // within each cluster they cancel out
  for (double& value : scaled) value /= std::sqrt(squares);
  return scaled;
}

// The sums of eight rounds with each of their 256 patterns of signs.
using EightRounds = std::array<double, 256>;

EightRounds sums_of_eight(const std::vector<double>& scaled, std::size_t first) {
  EightRounds sums{};
  const std::size_t last = std::min(first + 8, scaled.size());
  for (std::size_t signs = 0; signs < sums.size(); ++signs) {
    for (std::size_t round = first; round < last; ++round) {
      sums[signs] += (signs >> (round - first) & 1) != 0 ? -scaled[round] : scaled[round];
    }
  }
  return sums;
}

// The signed sum of every pattern, added up by eight rounds.
std::vector<double> statistics_of_all(const std::vector<double>& scaled, const SignFlips& flips) {
  std::vector<EightRounds> eights;
  for (std::size_t i = 0; i < flips.bytes_per_pattern(); ++i) {
    eights.push_back(sums_of_eight(scaled, 8 * i));
  }
  std::vector<double> sums(flips.patterns());
  for (std::size_t pattern = 0; pattern < sums.size(); ++pattern) {
    double sum = 0;
    for (std::size_t i = 0; i < eights.size(); ++i) sum += eights[i][flips.byte(pattern, i)];
    sums[pattern] = sum;
  }
  return sums;
}

}  // namespace

Clusters numbered_clusters(const Clusters& clusters, std::size_t rounds) {
  Clusters numbers(rounds);
  if (clusters.empty()) {
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }
  std::unordered_map<std::size_t, std::size_t> known;
  for (std::size_t i = 0; i < rounds; ++i) {
    numbers[i] = known.try_emplace(clusters.at(i), known.size()).first->second;
  }
  return numbers;
}

std::size_t count_clusters(const Clusters& clusters, std::size_t rounds) {
  const Clusters numbers = numbered_clusters(clusters, rounds);
  return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
}

std::vector<double> cluster_means(const std::vector<double>& rounds, const Clusters& clusters) {
  const Clusters numbers = numbered_clusters(clusters, rounds.size());
  std::vector<double> sums(count_clusters(clusters, rounds.size()));
  std::vector<double> counts(sums.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (std::isnan(rounds[i])) continue;
    sums[numbers[i]] += rounds[i];
    ++counts[numbers[i]];
  }
  std::vector<double> means;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] > 0) means.push_back(sums[i] / counts[i]);
  }
  return means;
}

SignFlips SignFlips::all(std::size_t rounds) {
  if (rounds < 1 || rounds > kMaxEnumeratedRounds) {
    throw std::invalid_argument("SignFlips::all: 1 to 20 rounds");
  }
  SignFlips flips(rounds, std::size_t{1} << rounds);
  const std::size_t width = flips.bytes_per_pattern();
  for (std::size_t at = 0; at < flips.bytes_.size(); ++at) {
    flips.bytes_[at] = static_cast<std::uint8_t>(at / width >> 8 * (at % width));
  }
  return flips;
}

SignFlips SignFlips::drawn(std::size_t rounds, std::size_t patterns, std::uint64_t seed) {
  if (rounds < 1 || patterns < 1) {
    throw std::invalid_argument("SignFlips::drawn: at least one round and one pattern");
  }
  SignFlips flips(rounds, patterns);
  std::mt19937_64 random(seed);
  for (std::size_t at = flips.bytes_per_pattern(); at < flips.bytes_.size(); ++at) {
    flips.bytes_[at] = static_cast<std::uint8_t>(random() >> 56);
  }
  return flips;
}

SignFlips SignFlips::up_to(std::size_t rounds, std::size_t patterns, std::uint64_t seed) {
  const bool few = rounds <= kMaxEnumeratedRounds && (std::size_t{1} << rounds) <= patterns;
  return few ? all(rounds) : drawn(rounds, patterns, seed);
}

std::vector<SignFlipResult> sign_flip_test(const std::vector<std::vector<double>>& effects,
                                           const SignFlips& flips, double clip,
                                           const Clusters& clusters) {
  if (!(clip > 0)) throw std::invalid_argument("sign_flip_test: a clip above 0");
  std::vector<std::vector<double>> statistics;
  std::vector<SignFlipResult> results;
  for (const std::vector<double>& metric : effects) {
    const bool fits = clusters.empty() || clusters.size() == metric.size();
    if (!fits || count_clusters(clusters, metric.size()) != flips.rounds()) {
      throw std::invalid_argument("sign_flip_test: as many clusters as the flips have rounds");
    }
    const Clusters numbers = numbered_clusters(clusters, metric.size());
    statistics.push_back(
        statistics_of_all(standardized(metric, clip, numbers, flips.rounds()), flips));
    std::vector<double>& all = statistics.back();
    SignFlipResult& result = results.emplace_back();
    result.statistic = all.front();
    result.p_above = share_at_least(all, result.statistic);
    result.p_below = share_at_most(all, result.statistic);
  }
  const std::vector<double> adjusted = step_down(statistics);
  for (std::size_t i = 0; i < results.size(); ++i) results[i].p_above_adjusted = adjusted[i];
  return results;
}

}  // namespace tailgate
