#include "harness/stats/unpaired.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tailgate {
namespace {

constexpr std::size_t kMostRelabellings = 200'000;

// So many that the level is a count of ten or more of them.
std::size_t relabellings_for(double level) {
  constexpr double kOfLevel = 10;
  constexpr std::size_t kFewest = 16'384;
  const double wanted = std::ceil(kOfLevel / level);
  return wanted > static_cast<double>(kMostRelabellings)
             ? kMostRelabellings
             : std::max(kFewest, static_cast<std::size_t>(wanted));
}

std::vector<TwoGroups> groups_of(const std::vector<UnpairedMetric>& metrics, bool less_margin) {
  std::vector<TwoGroups> groups;
  for (const UnpairedMetric& metric : metrics) {
    groups.push_back(metric.values);
    if (!less_margin) continue;
    for (double& value : groups.back().b) value -= metric.margin;
  }
  return groups;
}

}  // namespace

std::vector<MetricDecision> decide_unpaired(const std::vector<UnpairedMetric>& metrics,
                                            const UnpairedLevels& levels) {
  std::vector<MetricDecision> decisions;
  if (metrics.empty()) return decisions;
  if (!(levels.fail_level > 0 && levels.pass_level > 0)) {
    throw std::invalid_argument("decide_unpaired: levels above 0");
  }
  const TwoGroups& first = metrics.front().values;
  const Relabellings relabellings = Relabellings::up_to(
      first.a.size(), first.b.size(), relabellings_for(levels.fail_level), levels.seed);
  const auto at_margin = rank_sum_test(groups_of(metrics, true), relabellings);
  const auto at_none = rank_sum_test(groups_of(metrics, false), relabellings);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    MetricDecision& decision = decisions.emplace_back();
    decision.statistic = at_margin[i].statistic;
    decision.p_within = at_margin[i].p_above_adjusted;
    decision.p_beyond = at_margin[i].p_below;
    decision.p_no_change = at_none[i].p_above_adjusted;
    if (std::max(decision.p_within, decision.p_no_change) <= levels.fail_level) {
      decision.decision = Decision::fail;
    } else if (decision.p_beyond <= levels.pass_level) {
      decision.decision = Decision::pass;
    }
  }
  return decisions;
}

bool can_reject(std::size_t a, std::size_t b, double level) {
  if (a == 0 || b == 0) return false;
  const std::size_t ways = count_relabellings(a, b, kMostRelabellings);
  return 1 / static_cast<double>(ways) <= level;
}

std::size_t fewest_values(double level) {
  constexpr std::size_t kMost = 1000;
  std::size_t values = 1;
  while (values < kMost && !can_reject(values, values, level)) ++values;
  return values;
}

}  // namespace tailgate
