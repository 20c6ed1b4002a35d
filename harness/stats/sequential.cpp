#include "harness/stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/stats/distributions.h"

namespace tailgate {
namespace {

std::size_t rounds_of(const std::vector<PairedMetric>& metrics) {
  if (metrics.empty()) return 0;
  const std::size_t rounds = metrics.front().effects.size();
  for (const PairedMetric& metric : metrics) {
    if (metric.effects.size() != rounds || rounds == 0) {
      throw std::invalid_argument("decide: as many effects for every metric, and at least one");
    }
  }
  return rounds;
}

// The first rounds' effects, less the margin or what counts as no change.
std::vector<std::vector<double>> shifted(const std::vector<PairedMetric>& metrics,
                                         std::size_t rounds, double PairedMetric::*by) {
  std::vector<std::vector<double>> result;
  for (const PairedMetric& metric : metrics) {
    std::vector<double>& effects = result.emplace_back();
    for (std::size_t i = 0; i < rounds; ++i) effects.push_back(metric.effects[i] - metric.*by);
  }
  return result;
}

constexpr double kNormalDegrees = 1e5;  // at which Student's t is normal to four digits

double normal_statistic(const CountTest& test) {
  constexpr double kMost = 0.5;
  if (test.p_within < kMost) return student_t_quantile(1 - test.p_within, kNormalDegrees);
  return test.p_beyond < kMost ? student_t_quantile(test.p_beyond, kNormalDegrees) : 0;
}

// The analysis of variance of one metric's rounds by cluster: the part of the mean's variance that
// more rounds of each cluster would leave (Searle, Casella and McCulloch, Variance Components,
// 1992, section 3.5).
double share_between(const std::vector<double>& effects, const Clusters& clusters) {
  const Clusters numbers = numbered_clusters(clusters, effects.size());
  std::vector<double> sums(count_clusters(clusters, effects.size()));
  std::vector<double> counts(sums.size());
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (std::isnan(effects[i])) continue;
    sums[numbers[i]] += effects[i];
    ++counts[numbers[i]];
    sum += effects[i];
    ++count;
  }
  double between = 0;
  double within = 0;
  double used = 0;
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (counts[c] == 0) continue;
    const double off = sums[c] / counts[c] - sum / count;
    between += counts[c] * off * off;
    ++used;
  }
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (std::isnan(effects[i])) continue;
    const double off = effects[i] - sums[numbers[i]] / counts[numbers[i]];
    within += off * off;
  }
  if (used < 2 || count <= used || between <= 0) return 0;
  return std::max(0.0, 1 - within / (count - used) / (between / (used - 1)));
}

bool all_pass(const std::vector<MetricDecision>& metrics) {
  return std::all_of(metrics.begin(), metrics.end(), [](const MetricDecision& metric) {
    return metric.decision == Decision::pass;
  });
}

// A metric that counts something takes its p values from count_test, not from the sign flips.
void take_counts(const std::vector<PairedMetric>& metrics, std::size_t rounds,
                 std::vector<MetricDecision>& decisions) {
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (!metrics[i].counts) continue;
    const CountTest test = count_test(metrics[i].counts->rounds, rounds, metrics[i].counts->margin);
    decisions[i].p_within = test.p_within;
    decisions[i].p_beyond = test.p_beyond;
    decisions[i].statistic = normal_statistic(test);
  }
}

}  // namespace

Looks Looks::shared_by(std::size_t decisions) const {
  Looks shared = *this;
  shared.false_fail /= static_cast<double>(std::max<std::size_t>(decisions, 1));
  constexpr double kPatternsAtLevel = 4;
  while (static_cast<double>(shared.patterns) * shared.fail_level() < kPatternsAtLevel) {
    shared.patterns *= 2;
  }
  return shared;
}

double Looks::least_false_fail() const {
  const std::size_t flipped = clusters == 0 ? rounds.back() : std::min(clusters, rounds.back());
  return std::exp2(-static_cast<double>(flipped)) * static_cast<double>(rounds.size());
}

SequentialDecision look(const std::vector<PairedMetric>& metrics, std::size_t rounds,
                        const Looks& looks, const Clusters& all_clusters) {
  if (rounds == 0 || rounds > rounds_of(metrics)) {
    throw std::invalid_argument("look: at least one round, and as many as there are effects");
  }
  if (!all_clusters.empty() && all_clusters.size() < rounds) {
    throw std::invalid_argument("look: a cluster for every round");
  }
  const Clusters clusters =
      all_clusters.empty() ? Clusters() : numbered_clusters(all_clusters, rounds);
  const SignFlips flips =
      SignFlips::up_to(count_clusters(clusters, rounds), looks.patterns, looks.seed);
  const auto effects = shifted(metrics, rounds, &PairedMetric::margin);
  const auto at_margin = sign_flip_test(effects, flips, kSignFlipClip, clusters);
  SequentialDecision result{Decision::undecided, rounds, true, {}};
  bool beyond = false;
  for (const SignFlipResult& test : at_margin) {
    MetricDecision& metric = result.metrics.emplace_back();
    metric.statistic = test.statistic;
    metric.p_within = test.p_above_adjusted;
    metric.p_beyond = test.p_below;
    metric.between_clusters = share_between(effects[result.metrics.size() - 1], clusters);
  }
  take_counts(metrics, rounds, result.metrics);
  for (MetricDecision& metric : result.metrics) {
    if (metric.p_beyond <= looks.pass_level()) metric.decision = Decision::pass;
    beyond = beyond || metric.p_within <= looks.fail_level();
  }
  if (beyond) {
    const auto at_none = sign_flip_test(shifted(metrics, rounds, &PairedMetric::no_change), flips,
                                        kSignFlipClip, clusters);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      MetricDecision& metric = result.metrics[i];
      metric.p_no_change = at_none[i].p_above_adjusted;
      if (std::max(metric.p_within, metric.p_no_change) <= looks.fail_level()) {
        metric.decision = Decision::fail;
        result.decision = Decision::fail;
      }
    }
  }
  if (all_pass(result.metrics)) result.decision = Decision::pass;
  return result;
}

SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks,
                          const Clusters& clusters) {
  if (looks.rounds.empty()) throw std::invalid_argument("decide: one look or more");
  const std::size_t recorded = rounds_of(metrics);
  SequentialDecision result;
  for (const std::size_t rounds : looks.rounds) {
    if (rounds > recorded) break;
    result = look(metrics, rounds, looks, clusters);
    if (result.decision != Decision::undecided) return result;
  }
  const bool between_looks = result.looked && result.rounds < recorded;
  if (between_looks && recorded < looks.rounds.back()) {
    return look(metrics, recorded, looks, clusters);
  }
  if (!result.looked && recorded > 0) {
    result = look(metrics, recorded, looks, clusters);
    result.looked = false;
    result.decision = Decision::undecided;
    for (MetricDecision& metric : result.metrics) metric.decision = Decision::undecided;
  }
  return result;
}

std::size_t rounds_needed(const MetricDecision& decision, std::size_t rounds, std::size_t metrics,
                          const Looks& looks) {
  constexpr std::size_t kMost = 100'000;
  const double statistic = decision.statistic;
  const double level =
      statistic > 0 ? looks.fail_level() / static_cast<double>(metrics) : looks.pass_level();
  const double wanted = student_t_quantile(1 - level, kNormalDegrees);
  // The variance that may be left for the statistic to be what is wanted, in units of today's.
  const double allowed = std::pow(statistic / wanted, 2) - decision.between_clusters;
  if (!(allowed > 0)) return kMost;
  const double needed =
      std::ceil(static_cast<double>(rounds) * (1 - decision.between_clusters) / allowed);
  return std::clamp(needed < kMost ? static_cast<std::size_t>(needed) : kMost, rounds, kMost);
}

}  // namespace tailgate
