// What of a duet can be gated: the metrics, and their values round by round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/calibration.h"
#include "harness/result/duet.h"

namespace tailgate {

// How the two sides of a round are compared: by B / A, or by B - A for counts, which may be 0.
enum class EffectKind { ratio, difference };

std::string_view effect_kind_name(EffectKind kind);  // "ratio", "difference"

struct MetricKind {
  std::string name;
  std::string unit;
  EffectKind effect;
  std::string help;   // one line, no full stop
  bool gated;         // without a policy that says otherwise
  double margin;      // tolerated: a ratio less 1, or a difference in the unit; 0 if only reported
  double find;        // of a quantile: the change that must be found where it is gated
  double tail_share;  // of a quantile: the share of calls beyond it; else 0
  double at_least;    // of a ratio: the margin is no smaller than this many units
  double chance;      // of a count of calls: the margin is no smaller than this many standard
                      // deviations of what chance alone makes of it in a round; else 0
  std::optional<double> (*value)(const DuetSide& side);  // empty: not measured
};

// All of them, in the order in which reports show them. Counts of calls are per 20,000, so that
// their margins do not depend on rate and length of a round.
const std::vector<MetricKind>& metric_kinds();

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
