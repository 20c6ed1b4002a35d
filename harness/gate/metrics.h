// What of a duet can be gated: the metrics, and their values round by round.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/result/calibration.h"
#include "harness/result/duet.h"
#include "harness/result/verdict.h"

namespace tailgate {

// What a metric is. Whether it is gated, and with which margin, is the policy's to say:
// default_policy.toml has an entry for each.
struct MetricKind {
  std::string_view name;
  std::string_view unit;
  EffectKind effect = EffectKind::ratio;  // difference: for what may be 0
  std::string_view help;                  // one line, no full stop
  double tail_share = 0;                  // of a quantile: the share of calls beyond it
  bool counts_calls = false;  // it counts calls, so chance makes some of them in every round

  // One side's value in a round; empty: not measured.
  std::optional<double> (*value)(const DuetSide& side) = nullptr;
};

// All of them, in the order in which reports show them. Counts of calls are per 20,000, so that
// their margins do not depend on rate and length of a round.
std::span<const MetricKind> metric_kinds();

// The calls that such a count is of.
inline constexpr double kCallsPerCount = 20'000;

// The one of that name, or null.
const MetricKind* find_metric(std::string_view name);

// Whether both sides of a round ran to their end.
bool is_completed(const DuetRound& round);

// The values of every metric that was measured on both sides of every completed round, in the order
// of metric_kinds; of a ratio all values are above 0.
std::vector<MetricSeries> metric_series(const Duet& duet);

// Calls in a completed round's distributions, of the side that has fewer on average; 0 without any.
std::uint64_t events_per_round(const Duet& duet);

// Every round's effect, above 0 where B is worse: ln(b / a), or b - a.
std::vector<double> effects_of(const MetricSeries& series, EffectKind kind);

}  // namespace tailgate
