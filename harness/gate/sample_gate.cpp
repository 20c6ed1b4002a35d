#include "harness/gate/sample_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "harness/base/error.h"
#include "harness/gate/judgement.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/unpaired.h"

namespace tailgate {
namespace {

struct SampleFigure {
  const FigureSeries* a = nullptr;  // null: this side lacks it
  const FigureSeries* b = nullptr;
  MetricJudgement judgement = {};
  bool gated = false;
};

std::vector<SampleFigure> figures_of(const SampleComparison& comparison) {
  std::vector<SampleFigure> figures;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (const FigureSeries& series : comparison.a.series) {
    by_name[series.name] = figures.size();
    figures.push_back({.a = &series});
  }
  for (const FigureSeries& series : comparison.b.series) {
    const auto found = by_name.find(series.name);
    if (found == by_name.end()) {
      figures.push_back({.b = &series});
    } else {
      figures[found->second].b = &series;
    }
  }
  return figures;
}

// Why a figure has no ratio of comparable repetitions; empty: it has one.
std::string why_unmeasured(const SampleFigure& figure, const SampleComparison& comparison) {
  if (figure.b == nullptr) return "side B does not have it";
  if (figure.a == nullptr) return "side A does not have it";
  if (comparison.a.is_incomplete(*figure.a) || comparison.b.is_incomplete(*figure.b)) {
    return "not in every process";
  }
  const auto positive = [](double value) { return value > 0; };
  if (!std::all_of(figure.a->values.begin(), figure.a->values.end(), positive) ||
      !std::all_of(figure.b->values.begin(), figure.b->values.end(), positive)) {
    return "it is 0 or less in a repetition, so there is no ratio";
  }
  return "";
}

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::log(value));
  return result;
}

TwoGroups groups_of(const SampleFigure& figure) {
  return {logarithms(figure.a->values), logarithms(figure.b->values)};
}

void describe(SampleFigure& figure) {
  MetricJudgement& judgement = figure.judgement;
  judgement.median_a = median(figure.a->values);
  judgement.median_b = median(figure.b->values);
  const TwoGroups groups = groups_of(figure);
  const ShiftInterval interval = shift_interval(groups.a, groups.b, kConfidence);
  judgement.effect = reported(interval.estimate, EffectKind::ratio);
  if (interval.low) judgement.effect_low = reported(*interval.low, EffectKind::ratio);
  if (interval.high) judgement.effect_high = reported(*interval.high, EffectKind::ratio);
}

bool is_wanted(const FigureSeries& series, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return series.headline;
  return std::find(metrics.begin(), metrics.end(), series.metric) != metrics.end();
}

void begin_judgement(SampleFigure& figure, const SampleComparison& comparison) {
  const FigureSeries& series = figure.a != nullptr ? *figure.a : *figure.b;
  MetricJudgement& judgement = figure.judgement;
  judgement.name = series.name;
  judgement.unit = series.unit;
  judgement.reason = why_unmeasured(figure, comparison);
  if (!judgement.reason.empty()) return;
  judgement.decision = MetricOutcome::reported;
  judgement.reason = "reported only";
  describe(figure);
  figure.gated = is_wanted(series, comparison.metrics);
  if (figure.gated) judgement.margin = comparison.margin;
}

std::size_t repetitions(const SampleFigure& figure) {
  return std::min(figure.a->values.size(), figure.b->values.size());
}

// Figures with the same numbers of repetitions, which can be relabelled together.
using Group = std::vector<SampleFigure*>;

void decide_group(const Group& group, const UnpairedLevels& levels, std::size_t figures,
                  const Looks& looks) {
  std::vector<UnpairedMetric> metrics;
  for (const SampleFigure* figure : group) {
    metrics.push_back({groups_of(*figure), tested(figure->judgement.margin, EffectKind::ratio)});
  }
  const std::vector<MetricDecision> decisions = decide_unpaired(metrics, levels);
  for (std::size_t i = 0; i < group.size(); ++i) {
    take_decision(decisions[i], repetitions(*group[i]), figures, looks, group[i]->judgement);
  }
}

// Every group gets the share of the false fails that its figures are of all. Returns the fewest
// repetitions that a side needs, where some group has fewer than can fail; then nothing is decided.
std::size_t decide_figures(std::vector<SampleFigure>& figures, const Policy& policy) {
  std::map<std::pair<std::size_t, std::size_t>, Group> groups;
  std::size_t gated = 0;
  for (SampleFigure& figure : figures) {
    if (!figure.gated) continue;
    ++gated;
    groups[{figure.a->values.size(), figure.b->values.size()}].push_back(&figure);
  }
  Looks once = policy.looks;  // one analysis, which all of the errors are for
  once.rounds = {1};
  once.resumed.clear();
  const auto level_of = [&](const Group& group) {
    return once.fail_level() * static_cast<double>(group.size()) / static_cast<double>(gated);
  };
  std::size_t needed = 0;
  for (const auto& [sizes, group] : groups) {
    const double level = level_of(group);
    if (!can_reject(sizes.first, sizes.second, level)) {
      needed = std::max(needed, fewest_values(level));
    }
  }
  for (const auto& [sizes, group] : groups) {
    if (needed > 0) {
      for (SampleFigure* figure : group) {
        figure->judgement.decision = MetricOutcome::undecided;
        figure->judgement.reason = "too few repetitions";
        figure->judgement.rounds_needed = needed;
      }
      continue;
    }
    decide_group(group, {level_of(group), once.pass_level(), once.seed}, gated, once);
  }
  return needed;
}

// A side that is one process has one repetition, however many values are pooled in it.
std::vector<Remark> pooled_within_a_process(const SampleComparison& comparison) {
  std::vector<Remark> reasons;
  for (const auto& [side, samples] :
       {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    if (samples->processes != 1 || samples->pooled == 1) continue;
    reasons.push_back(
        {fmt::format("side {} is one process: its {} repetitions have that process's memory "
                     "layout and state in common and tell nothing of the next process; a test of "
                     "them finds differences between identical programs",
                     side, samples->pooled),
         comparison.more + "; or let 'tailgate duet --command' start both sides in alternation"});
  }
  return reasons;
}

std::vector<Remark> different_machines(const SampleComparison& comparison) {
  std::vector<std::string> names = comparison.a.machines;
  for (const std::string& name : comparison.b.machines) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() < 2) return {};
  return {
      {fmt::format("they were measured on different machines, '{}' and '{}'", names[0], names[1]),
       "measure both sides on one machine"}};
}

void check(const SampleComparison& comparison) {
  const auto has_metric = [&](const std::string& metric) {
    return std::any_of(comparison.a.series.begin(), comparison.a.series.end(),
                       [&](const FigureSeries& series) { return series.metric == metric; });
  };
  for (const std::string& metric : comparison.metrics) {
    if (has_metric(metric)) continue;
    throw Error(fmt::format("no figure of side A has the metric '{}'", metric),
                "leave --metric out to see the figures; the last word of a name is its metric");
  }
  for (const SampleSet* samples : {&comparison.a, &comparison.b}) {
    for (const FigureSeries& series : samples->series) {
      if (series.values.size() <= kMostShiftValues) continue;
      throw Error(fmt::format("{} has {} values; at most {} repetitions can be compared",
                              series.name, series.values.size(), kMostShiftValues),
                  "write one figure for each process, such as its median: values of one process "
                  "are no repetitions");
    }
  }
}

void explain_too_few(const std::vector<SampleFigure>& figures, std::size_t needed,
                     const SampleComparison& comparison, Verdict& verdict) {
  std::size_t fewest = kMostShiftValues;
  for (const SampleFigure& figure : figures) {
    if (figure.gated) fewest = std::min(fewest, repetitions(figure));
  }
  verdict.rounds_needed = needed;
  verdict.reasons.push_back(
      {fmt::format("{} repetitions of a side are too few: the test needs {} of each to decide",
                   fewest, needed),
       comparison.more});
}

void decide_outcome(const std::vector<SampleFigure>& figures, std::size_t needed,
                    const SampleComparison& comparison, Verdict& verdict) {
  const auto any = [&](MetricOutcome outcome) {
    return std::any_of(verdict.metrics.begin(), verdict.metrics.end(),
                       [&](const MetricJudgement& metric) { return metric.decision == outcome; });
  };
  if (!verdict.reasons.empty()) {
    verdict.outcome = VerdictOutcome::invalid;
  } else if (std::none_of(figures.begin(), figures.end(),
                          [](const SampleFigure& figure) { return figure.gated; })) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons.push_back({"no figure can be judged", "read why in each figure's row"});
  } else if (needed > 0) {
    verdict.outcome = VerdictOutcome::inconclusive;
    explain_too_few(figures, needed, comparison, verdict);
  } else if (any(MetricOutcome::fail)) {
    verdict.outcome = VerdictOutcome::fail;
    explain_fail(verdict, "find the cause and correct it, or judge with a larger --margin");
  } else if (any(MetricOutcome::undecided)) {
    verdict.outcome = VerdictOutcome::inconclusive;
    explain_undecided(verdict, 0, "repetitions of each side");
  } else {
    verdict.outcome = VerdictOutcome::pass;
    verdict.reasons.push_back({"every judged figure is below its margin", ""});
  }
}

void add_remarks(const std::vector<SampleFigure>& figures, Verdict& verdict) {
  for (const SampleFigure& figure : figures) {
    if (figure.judgement.is_measured()) continue;
    verdict.remarks.push_back(
        {fmt::format("{} is not judged: {}", figure.judgement.name, figure.judgement.reason),
         "give runs of the same benchmarks"});
  }
  verdict.remarks.push_back(
      {"the sides were measured apart, so a change of the machine between them counts as B's",
       "'tailgate duet --command' runs both in alternation"});
}

}  // namespace

Verdict judge_samples(const SampleComparison& comparison, const Policy& policy) {
  check(comparison);
  Verdict verdict;
  verdict.policy = policy.origin;
  verdict.method = kUnpairedMethod;
  verdict.sink = comparison.format;
  verdict.a = comparison.a_name;
  verdict.b = comparison.b_name;
  verdict.false_fail = policy.looks.false_fail;
  verdict.false_pass = policy.looks.false_pass;
  verdict.reasons = different_machines(comparison);
  for (Remark& reason : pooled_within_a_process(comparison)) {
    verdict.reasons.push_back(std::move(reason));
  }
  std::vector<SampleFigure> figures = figures_of(comparison);
  for (SampleFigure& figure : figures) {
    begin_judgement(figure, comparison);
    if (!figure.judgement.is_measured()) continue;
    verdict.rounds_recorded = std::max<std::uint64_t>(verdict.rounds_recorded, repetitions(figure));
  }
  verdict.rounds_used = verdict.rounds_recorded;
  const std::size_t needed = decide_figures(figures, policy);
  for (const SampleFigure& figure : figures) verdict.metrics.push_back(figure.judgement);
  decide_outcome(figures, needed, comparison, verdict);
  add_remarks(figures, verdict);
  return verdict;
}

}  // namespace tailgate
