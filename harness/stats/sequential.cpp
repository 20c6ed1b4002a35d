#include "harness/stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "harness/stats/coin_effect.h"
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
    const auto end = static_cast<std::ptrdiff_t>(rounds);
    std::vector<double> effects(metric.effects.begin(), metric.effects.begin() + end);
    for (const std::vector<int>& coin : metric.coins) {
      effects = without_coin_effect(std::move(effects), {coin.begin(), coin.begin() + end});
    }
    for (double& effect : effects) effect -= metric.*by;
    result.push_back(std::move(effects));
  }
  return result;
}

constexpr double kConfidence = 0.95;
constexpr double kNormalToFourDigits = 1e5;  // at which Student's t is normal to four digits

double normal_statistic(const CountTest& test) {
  constexpr double kMost = 0.5;
  if (test.p_within < kMost) return student_t_quantile(1 - test.p_within, kNormalToFourDigits);
  return test.p_beyond < kMost ? student_t_quantile(test.p_beyond, kNormalToFourDigits) : 0;
}

// The analysis of variance of one metric's rounds by cluster: the part of the mean's variance that
// more rounds of each cluster would leave (Searle, Casella and McCulloch, Variance Components,
// 1992, section 3.5), as the lower limit of its 95 % confidence interval: its estimate alone is
// above 0 in half of the cases where clusters do not differ.
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
  const double critical = fisher_f_quantile(kConfidence, used - 1, count - used);
  return std::max(0.0, 1 - critical * within / (count - used) / (between / (used - 1)));
}

bool all_pass(const std::vector<MetricDecision>& metrics) {
  return std::all_of(metrics.begin(), metrics.end(), [](const MetricDecision& metric) {
    return metric.decision == Decision::pass;
  });
}

// Where passing takes another margin than failing.
void take_margins_to_pass(const std::vector<PairedMetric>& metrics, std::size_t rounds,
                          const SignFlips& flips, const Clusters& clusters,
                          std::vector<MetricDecision>& decisions) {
  const auto has_one = [](const PairedMetric& metric) { return metric.margin_to_pass.has_value(); };
  if (std::none_of(metrics.begin(), metrics.end(), has_one)) return;
  std::vector<PairedMetric> others = metrics;
  for (PairedMetric& metric : others) metric.margin = metric.margin_to_pass.value_or(metric.margin);
  const auto at_margin = sign_flip_test(shifted(others, rounds, &PairedMetric::margin), flips,
                                        kSignFlipClip, clusters);
  for (std::size_t i = 0; i < metrics.size(); ++i) decisions[i].p_beyond = at_margin[i].p_below;
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

std::size_t patterns_for(double level, std::size_t patterns) {
  constexpr double kPatternsAtLevel = 4;
  while (static_cast<double>(patterns) * level < kPatternsAtLevel) patterns *= 2;
  return patterns;
}

}  // namespace

Looks Looks::shared_by(std::size_t decisions) const {
  Looks shared = *this;
  shared.false_fail /= static_cast<double>(std::max<std::size_t>(decisions, 1));
  return shared;
}

Looks Looks::from_round(std::size_t first) const {
  Looks left = *this;
  std::erase_if(left.rounds, [&](std::size_t at) { return at < first && at != rounds.back(); });
  return left;
}

double Looks::least_false_fail() const {
  const std::size_t flipped = clusters == 0 ? rounds.back() : std::min(clusters, rounds.back());
  return std::exp2(-static_cast<double>(flipped)) / first_share();
}

std::vector<PlannedLook> Looks::all() const {
  std::vector<PlannedLook> planned;
  for (const std::size_t at : rounds) {
    planned.push_back({at, fail_level(), pass_level(), patterns_for(fail_level(), patterns)});
  }
  const double share = resumed_share / static_cast<double>(resumed.size());
  for (const std::size_t at : resumed) {
    planned.push_back(
        {at, share * false_fail, share * false_pass, patterns_for(share * false_fail, patterns)});
  }
  return planned;
}

std::vector<PlannedLook> looks_with_stops(const Looks& looks,
                                          const std::vector<std::size_t>& stops) {
  std::vector<PlannedLook> planned = looks.all();
  std::size_t last = looks.rounds.front();
  auto stop = stops.begin();
  for (PlannedLook& look : planned) {
    stop = std::find_if(stop, stops.end(), [&](std::size_t rounds) { return rounds > last; });
    if (look.rounds > last && stop != stops.end()) look.rounds = std::min(look.rounds, *stop);
    last = look.rounds;
  }
  return planned;
}

SequentialDecision look(const std::vector<PairedMetric>& metrics, const PlannedLook& planned,
                        std::uint64_t seed, const Clusters& all_clusters) {
  const std::size_t rounds = planned.rounds;
  if (rounds == 0 || rounds > rounds_of(metrics)) {
    throw std::invalid_argument("look: at least one round, and as many as there are effects");
  }
  if (!all_clusters.empty() && all_clusters.size() < rounds) {
    throw std::invalid_argument("look: a cluster for every round");
  }
  const Clusters clusters =
      all_clusters.empty() ? Clusters() : numbered_clusters(all_clusters, rounds);
  const SignFlips flips =
      SignFlips::up_to(count_clusters(clusters, rounds), planned.patterns, seed);
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
  take_margins_to_pass(metrics, rounds, flips, clusters, result.metrics);
  take_counts(metrics, rounds, result.metrics);
  for (MetricDecision& metric : result.metrics) {
    if (metric.p_beyond <= planned.pass_level) metric.decision = Decision::pass;
    beyond = beyond || metric.p_within <= planned.fail_level;
  }
  if (beyond) {
    const auto at_none = sign_flip_test(shifted(metrics, rounds, &PairedMetric::no_change), flips,
                                        kSignFlipClip, clusters);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      MetricDecision& metric = result.metrics[i];
      metric.p_no_change = at_none[i].p_above_adjusted;
      if (std::max(metric.p_within, metric.p_no_change) <= planned.fail_level) {
        metric.decision = Decision::fail;
        result.decision = Decision::fail;
      }
    }
  }
  if (all_pass(result.metrics)) result.decision = Decision::pass;
  return result;
}

SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks,
                          const std::vector<std::size_t>& stops, const Clusters& clusters) {
  if (looks.rounds.empty()) throw std::invalid_argument("decide: one look or more");
  const std::size_t recorded = rounds_of(metrics);
  SequentialDecision result;
  for (const PlannedLook& planned : looks_with_stops(looks, stops)) {
    if (planned.rounds > recorded) break;
    result = look(metrics, planned, looks.seed, clusters);
    if (result.decision != Decision::undecided) return result;
  }
  if (!result.looked && recorded > 0) {
    result = look(metrics, {recorded, 0, 0, looks.patterns}, looks.seed, clusters);
    result.looked = false;
  }
  return result;
}

SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks,
                          const Clusters& clusters) {
  return decide(metrics, looks, {rounds_of(metrics)}, clusters);
}

std::size_t rounds_needed(const MetricDecision& decision, std::size_t rounds, std::size_t metrics,
                          const Looks& looks) {
  constexpr std::size_t kMost = 100'000;
  const double statistic = decision.statistic;
  const auto needed_at = [&](const PlannedLook& look) {
    const double level =
        statistic > 0 ? look.fail_level / static_cast<double>(metrics) : look.pass_level;
    const double wanted = student_t_quantile(1 - level, kNormalToFourDigits);
    // The variance that may be left for the statistic to be what is wanted, in units of today's.
    const double allowed = std::pow(statistic / wanted, 2) - decision.between_clusters;
    if (!(allowed > 0)) return kMost;
    const double needed =
        std::ceil(static_cast<double>(rounds) * (1 - decision.between_clusters) / allowed);
    return std::clamp(needed < kMost ? static_cast<std::size_t>(needed) : kMost, rounds, kMost);
  };
  const std::vector<PlannedLook> planned = looks.all();
  const std::size_t needed = needed_at(planned.front());
  return needed <= looks.rounds.back() ? needed : needed_at(planned.back());
}

}  // namespace tailgate
