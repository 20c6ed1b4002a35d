#include "harness/stats/sequential.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/stats/distributions.h"
#include "harness/stats/sign_flip.h"

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
  return std::exp2(-static_cast<double>(rounds.back())) * static_cast<double>(rounds.size());
}

SequentialDecision look(const std::vector<PairedMetric>& metrics, std::size_t rounds,
                        const Looks& looks) {
  if (rounds == 0 || rounds > rounds_of(metrics)) {
    throw std::invalid_argument("look: at least one round, and as many as there are effects");
  }
  const SignFlips flips = SignFlips::up_to(rounds, looks.patterns, looks.seed);
  const auto at_margin = sign_flip_test(shifted(metrics, rounds, &PairedMetric::margin), flips);
  SequentialDecision result{Decision::undecided, rounds, true, {}};
  bool beyond = false;
  for (const SignFlipResult& test : at_margin) {
    MetricDecision& metric = result.metrics.emplace_back();
    metric.statistic = test.statistic;
    metric.p_within = test.p_above_adjusted;
    metric.p_beyond = test.p_below;
  }
  take_counts(metrics, rounds, result.metrics);
  for (MetricDecision& metric : result.metrics) {
    if (metric.p_beyond <= looks.pass_level()) metric.decision = Decision::pass;
    beyond = beyond || metric.p_within <= looks.fail_level();
  }
  if (beyond) {
    const auto at_none = sign_flip_test(shifted(metrics, rounds, &PairedMetric::no_change), flips);
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

SequentialDecision decide(const std::vector<PairedMetric>& metrics, const Looks& looks) {
  if (looks.rounds.empty()) throw std::invalid_argument("decide: one look or more");
  const std::size_t recorded = rounds_of(metrics);
  SequentialDecision result;
  for (const std::size_t rounds : looks.rounds) {
    if (rounds > recorded) break;
    result = look(metrics, rounds, looks);
    if (result.decision != Decision::undecided) return result;
  }
  const bool between_looks = result.looked && result.rounds < recorded;
  if (between_looks && recorded < looks.rounds.back()) return look(metrics, recorded, looks);
  if (!result.looked && recorded > 0) {
    result = look(metrics, recorded, looks);
    result.looked = false;
    result.decision = Decision::undecided;
    for (MetricDecision& metric : result.metrics) metric.decision = Decision::undecided;
  }
  return result;
}

std::size_t rounds_needed(double statistic, std::size_t rounds, std::size_t metrics,
                          const Looks& looks) {
  constexpr std::size_t kMost = 100'000;
  const double level =
      statistic > 0 ? looks.fail_level() / static_cast<double>(metrics) : looks.pass_level();
  const double wanted = student_t_quantile(1 - level, kNormalDegrees);
  const double factor = statistic == 0 ? static_cast<double>(kMost) : wanted / statistic;
  const double needed = std::ceil(static_cast<double>(rounds) * factor * factor);
  return std::clamp(needed < kMost ? static_cast<std::size_t>(needed) : kMost, rounds, kMost);
}

}  // namespace tailgate
