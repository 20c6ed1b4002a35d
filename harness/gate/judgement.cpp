#include "harness/gate/judgement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/gate/effect_text.h"
#include "harness/gate/metrics.h"
#include "harness/stats/distributions.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// Those of the first `count` rounds that have one.
std::vector<double> numbers_of_first(const std::vector<double>& values, std::size_t count) {
  std::vector<double> numbers(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  std::erase_if(numbers, [](double value) { return std::isnan(value); });
  return numbers;
}

std::string reason_of(const MetricJudgement& judgement) {
  const std::string margin = effect_text(judgement, judgement.margin);
  if (judgement.decision == MetricOutcome::pass)
    return fmt::format("below its margin of {}", margin);
  if (judgement.decision == MetricOutcome::fail)
    return fmt::format("beyond its margin of {}", margin);
  const bool seems_below = judgement.p_beyond < judgement.p_within;
  // The test weighs all rounds, the effect is the middle of their differences: of rounds that
  // differ much, the one may lie below the margin and the other beyond it.
  if (seems_below != (judgement.effect < judgement.margin)) {
    return fmt::format("it is near its margin of {}, so that more rounds must tell", margin);
  }
  if (seems_below) {
    return fmt::format("it seems to be below its margin of {}, which needs more rounds to show",
                       margin);
  }
  return fmt::format("it seems to be beyond its margin of {}, which needs more rounds to show",
                     margin);
}

std::vector<const MetricJudgement*> with_decision(const Verdict& verdict, MetricOutcome which) {
  std::vector<const MetricJudgement*> found;
  for (const MetricJudgement& metric : verdict.metrics) {
    if (metric.decision == which) found.push_back(&metric);
  }
  return found;
}

// One metric that fails decides the verdict, so the first one that seems beyond its margin counts.
// Without such a metric, all that are undecided must pass.
std::uint64_t rounds_to_decide(const std::vector<const MetricJudgement*>& undecided) {
  std::uint64_t to_fail = 0;
  std::uint64_t to_pass = 0;
  for (const MetricJudgement* metric : undecided) {
    const std::uint64_t needed = metric->rounds_needed.value_or(0);
    if (metric->statistic > 0) {
      to_fail = to_fail == 0 ? needed : std::min(to_fail, needed);
    } else {
      to_pass = std::max(to_pass, needed);
    }
  }
  return to_fail > 0 ? to_fail : to_pass;
}

std::string since_first_pin(const MetricJudgement& metric) {
  const double before = *metric.before_pin;
  return fmt::format("{}, of which {} before this pin",
                     effect_text(metric, (1 + before) * (1 + metric.effect) - 1),
                     effect_text(metric, before));
}

}  // namespace

double reported(double effect, EffectKind kind) {
  return kind == EffectKind::ratio ? std::expm1(effect) : effect;
}

double tested(double effect, EffectKind kind) {
  return kind == EffectKind::ratio ? std::log1p(effect) : effect;
}

std::vector<std::size_t> stops_of(const std::optional<std::vector<DuetPart>>& parts,
                                  std::size_t rounds,
                                  const std::function<std::size_t(std::size_t among)>& completed) {
  if (!parts) return {completed(rounds)};
  std::vector<std::size_t> stops;
  for (const DuetPart& part : *parts) {
    if (part.stopped) stops.push_back(completed(std::min<std::size_t>(part.rounds, rounds)));
  }
  return stops;
}

Remark remark_on_parts(const std::vector<DuetPart>& parts, const std::string& finished_utc) {
  return {fmt::format("measured in {} parts, from {} to {}", parts.size(),
                      parts.front().started_utc, finished_utc),
          "nothing, where the machine did the same work all the time"};
}

// The tests use the margin less the chain's lower limit to fail, and less its upper limit to pass:
// the limits of a sum of logarithms whose standard errors add in quadrature (JCGM 100:2008, 5.1.2).
// So each error is at most doubled, by that of the limit. A chain that made things better widens no
// margin. Where its lower limit alone is beyond the margin, there is none left for equal sides.
void spend_margin(const Policy& policy, PairedMetric& metric, MetricJudgement& judgement) {
  const SpentMargin* spent = policy.history.spent_of(judgement.name);
  if (spent == nullptr) return;
  constexpr double kNormalDegrees = 1e5;
  const auto limit = [&](double probability) {
    return spent->log_ratio + student_t_quantile(probability, kNormalDegrees) * spent->log_error;
  };
  const double least = std::max(0.0, limit(policy.looks.false_fail));
  const double most = std::max(least, limit(1 - policy.looks.false_pass));
  metric.margin_to_pass = metric.margin - most;
  metric.margin -= least;
  metric.no_change = std::min(0.0, metric.margin);
  judgement.before_pin = std::expm1(spent->log_ratio);
  judgement.margin = reported(metric.margin, EffectKind::ratio);
}

void add_history_remarks(const PinHistory& history, Verdict& verdict) {
  if (history.first.empty()) return;
  std::vector<std::string> changes;
  for (const MetricJudgement& metric : verdict.metrics) {
    if (metric.before_pin) changes.push_back(metric.name + " " + since_first_pin(metric));
  }
  if (!changes.empty()) {
    verdict.remarks.push_back(
        {fmt::format("since the first pin ({}, until {}): {}", history.first, history.moved,
                     fmt::join(changes, "; ")),
         "accept a change on purpose in the chain of references, with its reason"});
  }
  for (const std::string& gap : history.gaps) {
    verdict.remarks.push_back({gap, "nothing of it counts; measure it with --repin"});
  }
}

bool is_look(const Looks& looks, const std::vector<std::size_t>& stops, std::size_t completed) {
  const std::vector<PlannedLook> planned = looks_with_stops(looks, stops);
  return std::any_of(planned.begin(), planned.end(),
                     [&](const PlannedLook& look) { return look.rounds == completed; });
}

void describe_effect(const MetricSeries& series, EffectKind kind, std::size_t rounds,
                     const Clusters& clusters, MetricJudgement& judgement) {
  std::vector<double> all = effects_of(series, kind);
  all.resize(rounds);
  const std::vector<double> effects = cluster_means(all, clusters);
  if (effects.empty()) return;
  judgement.median_a = median(numbers_of_first(series.a, rounds));
  judgement.median_b = median(numbers_of_first(series.b, rounds));
  const QuantileInterval interval = quantile_interval(effects, 0.5, kConfidence);
  judgement.effect = reported(interval.estimate, kind);
  if (interval.low) judgement.effect_low = reported(*interval.low, kind);
  if (interval.high) judgement.effect_high = reported(*interval.high, kind);
}

void describe_rates(const CountRounds& counts, std::size_t rounds, MetricJudgement& judgement) {
  constexpr double kTail = (1 - kConfidence) / 2;
  const ExcessLimits excess = excess_limits(counts, rounds, 0, kTail);
  const auto rate = [&](const std::vector<double>& side) {
    const std::vector<double> numbers = numbers_of_first(side, rounds);
    const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    return sum / static_cast<double>(numbers.size()) / counts.exposure;
  };
  judgement.median_a = rate(counts.a);
  judgement.median_b = rate(counts.b);
  judgement.effect = judgement.median_b - judgement.median_a;
  judgement.effect_low = excess.low;
  judgement.effect_high = excess.high;
}

void take_decision(const MetricDecision& decision, std::size_t rounds, std::size_t metrics,
                   const Looks& looks, MetricJudgement& judgement) {
  judgement.statistic = decision.statistic;
  judgement.p_within = decision.p_within;
  judgement.p_no_change = decision.p_no_change;
  judgement.p_beyond = decision.p_beyond;
  judgement.decision = decision.decision == Decision::pass   ? MetricOutcome::pass
                       : decision.decision == Decision::fail ? MetricOutcome::fail
                                                             : MetricOutcome::undecided;
  if (decision.decision == Decision::undecided) {
    judgement.rounds_needed = rounds_needed(decision, rounds, metrics, looks);
  }
  judgement.reason = reason_of(judgement);
}

void explain_fail(Verdict& verdict, std::string_view remedy) {
  for (const MetricJudgement* metric : with_decision(verdict, MetricOutcome::fail)) {
    verdict.reasons.push_back(
        {fmt::format("{} changed by {}; {} is tolerated{}", metric->name,
                     effect_with_interval(*metric), effect_text(*metric, metric->margin),
                     metric->before_pin
                         ? ", the rest is spent: since the first pin " + since_first_pin(*metric)
                         : ""),
         metric->waiver.empty()
             ? std::string(remedy)
             : "it is beyond what the waiver agreed on: correct it, or agree anew"});
  }
}

void explain_undecided(Verdict& verdict, std::uint64_t fewest, std::string_view unit) {
  const auto undecided = with_decision(verdict, MetricOutcome::undecided);
  verdict.rounds_needed = std::max(rounds_to_decide(undecided), fewest);
  for (const MetricJudgement* metric : undecided) {
    verdict.reasons.push_back({fmt::format("{} changed by {}: {}", metric->name,
                                           effect_with_interval(*metric), metric->reason),
                               metric->rounds_needed.value_or(0) >= 100'000
                                   ? fmt::format("more {} will not tell it from its margin", unit)
                                   : fmt::format("about {} {} would decide it",
                                                 metric->rounds_needed.value_or(0), unit)});
  }
}

void add_layout_remark(Verdict& verdict) {
  // Other layouts of the same objects were measured to change the median by up to 4 %.
  constexpr double kOfLayout = 0.06;
  const auto failed = with_decision(verdict, MetricOutcome::fail);
  const bool small = std::all_of(failed.begin(), failed.end(), [](const MetricJudgement* metric) {
    return metric->effect_kind == EffectKind::ratio && metric->unit == "ns" &&
           std::abs(metric->effect) < kOfLayout;
  });
  if (verdict.outcome != VerdictOutcome::fail || failed.empty() || !small || verdict.layouts) {
    return;
  }
  verdict.remarks.push_back(
      {"one layout in memory of each build was compared; another one of the same code may change "
       "times by as much",
       "set layouts = 50 in tailgate.toml, or build both sides again in another order"});
}

void explain_inconclusive(const SequentialDecision& decision, Verdict& verdict) {
  const std::uint64_t first_look = verdict.looks.front();
  if (decision.looked) {
    explain_undecided(verdict, first_look, "rounds");
    return;
  }
  const auto undecided = with_decision(verdict, MetricOutcome::undecided);
  verdict.rounds_needed = std::max(rounds_to_decide(undecided), first_look);
  verdict.reasons.push_back({fmt::format("{} rounds are fewer than the first look needs, {}",
                                         decision.rounds, first_look),
                             fmt::format("run {} rounds", verdict.looks.back())});
}

}  // namespace tailgate
