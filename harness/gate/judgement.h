// From the decision on a metric to its judgement and to a verdict's reasons: what all ways of
// judging have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/calibration.h"
#include "harness/result/duet_part.h"
#include "harness/result/verdict.h"
#include "harness/stats/sequential.h"

namespace tailgate {

// Of the intervals in verdicts.
inline constexpr double kConfidence = 0.95;

// From the scale of the tests, which take logarithms of ratios, to that of reports, and back.
double reported(double effect, EffectKind kind);
double tested(double effect, EffectKind kind);

// The numbers of completed rounds after which a duet stopped by itself, as looks_with_stops() takes
// them. completed: how many of the first so many rounds are completed. A file without parts was
// written by an older program, or at one go.
std::vector<std::size_t> stops_of(const std::optional<std::vector<DuetPart>>& parts,
                                  std::size_t rounds,
                                  const std::function<std::size_t(std::size_t among)>& completed);

// What a reader of the verdict on a resumed duet should know.
Remark remark_on_parts(const std::vector<DuetPart>& parts, const std::string& finished_utc);

// Whether the looks have one after exactly so many completed rounds.
bool is_look(const Looks& looks, const std::vector<std::size_t>& stops, std::size_t completed);

// Takes off the margins of a gated ratio what earlier moves of the reference have spent of it, and
// notes that in the judgement, whose margin becomes what is left.
void spend_margin(const Policy& policy, PairedMetric& metric, MetricJudgement& judgement);

// Remarks on the moves of the reference: what the metrics changed since the first one, and what of
// it is not known.
void add_history_remarks(const PinHistory& history, Verdict& verdict);

// Fills in medians, effect and interval from the first `rounds` rounds; effect and interval from
// the means of their clusters, if there are any.
void describe_effect(const MetricSeries& series, EffectKind kind, std::size_t rounds,
                     const Clusters& clusters, MetricJudgement& judgement);

// The same of a rate: means over the rounds, their difference, and its limits.
void describe_rates(const CountRounds& counts, std::size_t rounds, MetricJudgement& judgement);

// Fills in the decision, its p values and its reason, of which the effect that is described is
// part. rounds: on which it is based; metrics: among how many it was taken.
void take_decision(const MetricDecision& decision, std::size_t rounds, std::size_t metrics,
                   const Looks& looks, MetricJudgement& judgement);

// Adds a reason for each metric that failed. remedy: for one without a waiver.
void explain_fail(Verdict& verdict, std::string_view remedy);

// Sets rounds_needed, at least `fewest`, and adds a reason for each undecided metric. unit: of what
// more would decide, "rounds".
void explain_undecided(Verdict& verdict, std::uint64_t fewest, std::string_view unit);

// Where all that failed are small effects on times, and each side had one layout in memory, says
// that another one may have made them. Only for sides that are two builds.
void add_layout_remark(Verdict& verdict);

// The same of a duet, which has too few rounds for a look or was not decided by any.
void explain_inconclusive(const SequentialDecision& decision, Verdict& verdict);

}  // namespace tailgate
