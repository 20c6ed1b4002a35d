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
#include "harness/stats/counted_rates.h"

namespace tailgate {

// What a difference counts, if it is the rate of a count. Such rates are compared over all rounds
// together (stats/counted_rates.h), other effects round by round.
enum class CountOf {
  nothing,
  calls,   // of 20,000 calls; the margin is per second of load
  rounds,  // of the rounds
};

// What a metric is. Whether it is gated, and with which margin, is the policy's to say:
// default_policy.toml has an entry for each.
struct MetricKind {
  std::string_view name;
  std::string_view unit;
  EffectKind effect = EffectKind::ratio;  // difference: for what may be 0
  std::string_view help;                  // one line, no full stop
  double tail_share = 0;                  // of a quantile: the share of calls beyond it
  CountOf count = CountOf::nothing;
  bool of_several_threads = false;  // sides with one load thread do not have it

  // One side's value in a round, beside the other side; empty: not measured.
  std::optional<double> (*value)(const DuetSide& side, const DuetSide& other) = nullptr;
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

// The values in every completed round of every metric that was measured on both sides of any, in
// the order of metric_kinds. Where a round lacks it on one side, both values are not a number; of a
// ratio all others are above 0.
std::vector<MetricSeries> metric_series(const Duet& duet);

// In how many completed rounds a metric was measured.
struct MeasuredRounds {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t both = 0;
  std::size_t all = 0;  // completed rounds
};
MeasuredRounds measured_rounds(const Duet& duet, const MetricKind& kind);

// What a coin decided in each completed round: 1 where it is true, else -1; empty where the duet
// does not say. layout_pairs: which layouts in memory both builds had; empty: always the same.
struct RoundCoins {
  std::vector<int> a_started_first;
  std::vector<int> a_made_first;
  Clusters layout_pairs = {};
};
RoundCoins round_coins(const Duet& duet);

// The load of a round.
struct RoundLoad {
  std::uint64_t calls = 0;  // in its distributions, of the side that has fewer on average; 0: none
  double seconds = 1;       // that its measured turns take
};

// Of the completed rounds.
RoundLoad round_load(const Duet& duet);

// What the values of a rate count. clusters: of the rounds, or empty.
CountRounds count_rounds(const MetricSeries& series, CountOf of, const RoundLoad& load,
                         const Clusters& clusters);

// Every round's effect, above 0 where B is worse: ln(b / a), or b - a; not a number where a value
// is none.
std::vector<double> effects_of(const MetricSeries& series, EffectKind kind);

}  // namespace tailgate
