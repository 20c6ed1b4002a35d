#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/gate/effect_text.h"
#include "harness/gate/gate.h"
#include "harness/gate/judgement.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/tail_samples.h"

namespace tailgate {
namespace {

const MetricSeries* find_series(const std::vector<MetricSeries>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MetricSeries& series) { return series.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// A metric with all that its decision needs.
struct Candidate {
  const MetricKind* kind;
  const MetricSeries* series;  // null: not measured
  MetricRule rule;
  const Waiver* waiver;
  MetricJudgement judgement;
  std::optional<CountedRounds> counts;  // of a rate
  bool gated = false;
};

std::vector<double> numbers_in(const std::vector<double>& values) {
  std::vector<double> numbers;
  std::copy_if(values.begin(), values.end(), std::back_inserter(numbers),
               [](double value) { return !std::isnan(value); });
  return numbers;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The margin in force: it does not depend on which side is called A. `at_least`, in units of the
// metric, is divided by the median over both sides.
double margin_of_ratio(const MetricRule& rule, const MetricSeries& series) {
  if (rule.at_least <= 0) return rule.margin;
  std::vector<double> both = numbers_in(series.a);
  const std::vector<double> b = numbers_in(series.b);
  both.insert(both.end(), b.begin(), b.end());
  return std::max(rule.margin, rule.at_least / median(both));
}

double margin_of_count(const MetricRule& rule, CountOf of, const RoundLoad& load) {
  if (of == CountOf::rounds || load.calls == 0) return rule.margin;
  return rule.margin * load.seconds * kCallsPerCount / static_cast<double>(load.calls);
}

// The margin that reports show of a rate: what A's rate makes of it.
double shown_margin(const CountMargin& margin, const MetricSeries& series) {
  return margin.extra + margin.more * mean(numbers_in(series.a));
}

// Whether enough calls lie beyond a quantile to gate it; if not, the judgement says why.
bool has_tail(Candidate& candidate, std::uint64_t events, const Looks& looks) {
  const MetricKind& kind = *candidate.kind;
  if (kind.tail_share <= 0) return true;
  MetricJudgement& judgement = candidate.judgement;
  const double samples = std::floor(kind.tail_share * static_cast<double>(events) *
                                    static_cast<double>(looks.rounds.back()));
  judgement.tail_samples = static_cast<std::uint64_t>(samples);
  if (!candidate.rule.gate) return false;
  if (candidate.rule.find <= judgement.margin) {
    judgement.reason = fmt::format("not gated: the change to find, {:.3g} %, is within the margin",
                                   candidate.rule.find * 100);
    return false;
  }
  const double needed = std::ceil(tail_samples_needed(candidate.rule.find, judgement.margin));
  judgement.tail_samples_needed = static_cast<std::uint64_t>(needed);
  if (samples >= needed) return true;
  judgement.reason =
      fmt::format("not gated: {} calls beyond it in {} rounds, {} needed to find {:+.3g} %{}",
                  *judgement.tail_samples, looks.rounds.back(), *judgement.tail_samples_needed,
                  candidate.rule.find * 100,
                  samples > 0 ? fmt::format("; these tell {:+.3g} %",
                                            detectable_effect(samples, judgement.margin) * 100)
                              : "");
  return false;
}

// Whether there is anything to say of a metric.
bool has_place(const MetricKind& kind, const std::vector<MetricSeries>& series) {
  return !kind.of_several_threads || find_series(series, kind.name) != nullptr;
}

// A judgement without a decision.
MetricJudgement undecided_judgement(const MetricKind& kind, bool measured) {
  MetricJudgement judgement;
  judgement.name = kind.name;
  judgement.unit = kind.unit;
  judgement.effect_kind = kind.effect;
  judgement.decision = measured ? MetricOutcome::reported : MetricOutcome::unmeasured;
  judgement.reason = measured ? "reported only" : "not measured on both sides of any round";
  return judgement;
}

Candidate candidate_of(const MetricKind& kind, const std::vector<MetricSeries>& series,
                       const RoundLoad& load, const Clusters& clusters, const DuetSubject& subject,
                       const Policy& policy) {
  Candidate candidate{
      &kind, find_series(series, kind.name), policy.rule(kind, subject), nullptr, {}, {}, false};
  MetricJudgement& judgement = candidate.judgement;
  judgement = undecided_judgement(kind, candidate.series != nullptr);
  if (candidate.series == nullptr) return candidate;
  if (candidate.rule.gate) {
    candidate.waiver = policy.waiver(kind.name, subject);
    judgement.margin = margin_of_ratio(candidate.rule, *candidate.series);
    if (!candidate.rule.margin_from.empty()) judgement.margin_from = candidate.rule.margin_from;
  }
  candidate.gated = has_tail(candidate, load.calls, policy.looks) && candidate.rule.gate;
  if (candidate.gated && candidate.waiver != nullptr) {
    judgement.margin = candidate.waiver->high;
    judgement.margin_from.reset();
    judgement.waiver = fmt::format("{}: {}", candidate.waiver->commit, candidate.waiver->reason);
  }
  if (kind.count == CountOf::nothing) return candidate;
  const bool waived = candidate.gated && candidate.waiver != nullptr;
  candidate.counts = {
      count_rounds(*candidate.series, kind.count, load, clusters),
      waived ? CountMargin{candidate.waiver->high, 0}
             : CountMargin{margin_of_count(candidate.rule, kind.count, load), candidate.rule.more}};
  if (candidate.gated) judgement.margin = shown_margin(candidate.counts->margin, *candidate.series);
  return candidate;
}

}  // namespace

std::vector<MetricJudgement> describe_metrics(const Duet& duet) {
  const std::vector<MetricSeries> all = metric_series(duet);
  const Clusters clusters = round_coins(duet).layout_pairs;
  std::vector<MetricJudgement> judgements;
  for (const MetricKind& kind : metric_kinds()) {
    if (!has_place(kind, all)) continue;
    const MetricSeries* series = find_series(all, kind.name);
    MetricJudgement& judgement =
        judgements.emplace_back(undecided_judgement(kind, series != nullptr));
    if (series == nullptr) continue;
    if (kind.count == CountOf::nothing) {
      describe_effect(*series, kind.effect, series->a.size(), clusters, judgement);
    } else {
      describe_rates(count_rounds(*series, kind.count, round_load(duet), clusters),
                     series->a.size(), judgement);
    }
  }
  return judgements;
}

MetricsDecision decide_metrics(const std::vector<MetricSeries>& series, const RoundLoad& load,
                               const RoundCoins& coins, const std::vector<std::size_t>& stops,
                               const DuetSubject& subject, const Policy& policy) {
  std::vector<Candidate> candidates;
  std::vector<PairedMetric> gated;
  for (const MetricKind& kind : metric_kinds()) {
    if (!has_place(kind, series)) continue;
    Candidate& candidate = candidates.emplace_back(
        candidate_of(kind, series, load, coins.layout_pairs, subject, policy));
    if (!candidate.gated) continue;
    PairedMetric& metric = gated.emplace_back();
    metric.effects = effects_of(*candidate.series, kind.effect);
    metric.counts = candidate.counts;
    if (!candidate.counts) {
      for (const std::vector<int>& coin : {coins.a_started_first, coins.a_made_first}) {
        if (!coin.empty()) metric.coins.push_back(coin);
      }
    }
    metric.margin = candidate.counts ? candidate.counts->margin.extra
                                     : tested(candidate.judgement.margin, kind.effect);
    const bool ratio = !candidate.counts && kind.effect == EffectKind::ratio;
    if (ratio && candidate.waiver == nullptr) {
      spend_margin(policy, metric, candidate.judgement);
    }
    // Where a change is agreed on, failing needs no difference from "no change".
    if (candidate.waiver != nullptr) metric.no_change = metric.margin;
  }
  MetricsDecision result;
  result.decision = decide(gated, policy.looks, stops, coins.layout_pairs);
  const std::size_t rounds = result.decision.rounds;
  std::size_t next = 0;
  for (Candidate& candidate : candidates) {
    // Without a gated metric there was no look: the effects are then those of all rounds.
    const std::size_t used =
        gated.empty() && candidate.series != nullptr ? candidate.series->a.size() : rounds;
    if (candidate.counts) {
      describe_rates(candidate.counts->rounds, used, candidate.judgement);
    } else if (candidate.series != nullptr) {
      describe_effect(*candidate.series, candidate.kind->effect, used, coins.layout_pairs,
                      candidate.judgement);
    }
    if (candidate.gated) {
      take_decision(result.decision.metrics[next++], rounds, gated.size(), policy.looks,
                    candidate.judgement);
    }
    result.judgements.push_back(std::move(candidate.judgement));
  }
  return result;
}

}  // namespace tailgate
