#include "harness/gate/command_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "harness/gate/judgement.h"
#include "harness/gate/metrics.h"

namespace tailgate {
namespace {

struct JudgedFigure {
  CommandFigure name;   // without its value
  MetricSeries series;  // of the completed rounds
  MetricJudgement judgement = {};
  bool gated = false;
};

// A run's figures: what it printed, and its times, which are headlines where it printed nothing.
std::vector<CommandFigure> figures_of(const CommandRun& run, bool reads) {
  std::vector<CommandFigure> figures = run.figures;
  figures.push_back({"wall_ns", "wall_ns", "ns", !reads, static_cast<double>(run.wall_ns)});
  figures.push_back({"cpu_ns", "cpu_ns", "ns", !reads, static_cast<double>(run.cpu_ns)});
  return figures;
}

std::vector<const CommandRound*> completed_rounds(const CommandDuet& duet) {
  std::vector<const CommandRound*> rounds;
  for (const CommandRound& round : duet.rounds) {
    if (round.is_completed()) rounds.push_back(&round);
  }
  return rounds;
}

// The layouts of each completed round; empty where the duet has one of each side.
Clusters layout_pairs(const CommandDuet& duet) {
  Clusters pairs;
  for (const CommandRound* round : completed_rounds(duet)) {
    if (!round->layout_pair) return {};
    pairs.push_back(*round->layout_pair);
  }
  return pairs;
}

// A run that fails ends the duet, so all rounds before the last are completed.
std::vector<std::size_t> stops_of(const CommandDuet& duet) {
  const std::size_t completed = completed_rounds(duet).size();
  return stops_of(duet.parts, duet.rounds.size(),
                  [&](std::size_t among) { return std::min(among, completed); });
}

std::vector<JudgedFigure> collect(const CommandDuet& duet) {
  std::vector<JudgedFigure> figures;
  std::unordered_map<std::string, std::size_t> by_name;
  const bool reads = !duet.reads.empty();
  for (const CommandRound* round : completed_rounds(duet)) {
    for (const bool is_a : {true, false}) {
      for (CommandFigure& figure : figures_of(is_a ? round->a : round->b, reads)) {
        const auto [at, added] = by_name.try_emplace(figure.name, figures.size());
        if (added) figures.push_back({figure, {figure.name, {}, {}}});
        MetricSeries& series = figures[at->second].series;
        (is_a ? series.a : series.b).push_back(figure.value);
      }
    }
  }
  return figures;
}

// The rounds in which a figure's ratio exists on both sides are all, or it is unmeasured.
std::string why_unmeasured(const JudgedFigure& figure, std::size_t rounds) {
  if (figure.series.a.size() != rounds || figure.series.b.size() != rounds) {
    return "not in every run of both sides";
  }
  const auto positive = [](double value) { return value > 0; };
  if (!std::all_of(figure.series.a.begin(), figure.series.a.end(), positive) ||
      !std::all_of(figure.series.b.begin(), figure.series.b.end(), positive)) {
    return "it is 0 or less in a round, so there is no ratio";
  }
  return "";
}

bool is_wanted(const CommandFigure& figure, const std::vector<std::string>& metrics) {
  if (metrics.empty()) return figure.headline;
  return std::find(metrics.begin(), metrics.end(), figure.metric) != metrics.end();
}

void begin_judgement(JudgedFigure& figure, std::size_t rounds,
                     const CommandGateSettings& settings) {
  MetricJudgement& judgement = figure.judgement;
  judgement.name = figure.name.name;
  judgement.unit = figure.name.unit;
  judgement.reason = why_unmeasured(figure, rounds);
  if (!judgement.reason.empty()) return;
  judgement.decision = MetricOutcome::reported;
  judgement.reason = "reported only";
  figure.gated = is_wanted(figure.name, settings.metrics);
  if (figure.gated) judgement.margin = settings.margin;
}

SequentialDecision decide_figures(std::vector<JudgedFigure>& figures, const Clusters& clusters,
                                  const Policy& policy, const std::vector<std::size_t>& stops) {
  std::vector<PairedMetric> gated;
  for (JudgedFigure& figure : figures) {
    if (!figure.gated) continue;
    PairedMetric& metric = gated.emplace_back();
    metric.effects = effects_of(figure.series, EffectKind::ratio);
    metric.margin = tested(figure.judgement.margin, EffectKind::ratio);
    spend_margin(policy, metric, figure.judgement);
  }
  const SequentialDecision decision = decide(gated, policy.looks, stops, clusters);
  std::size_t next = 0;
  for (JudgedFigure& figure : figures) {
    if (!figure.judgement.is_measured()) continue;
    describe_effect(figure.series, EffectKind::ratio,
                    gated.empty() ? figure.series.a.size() : decision.rounds, clusters,
                    figure.judgement);
    if (figure.gated) {
      take_decision(decision.metrics[next++], decision.rounds, gated.size(), policy.looks,
                    figure.judgement);
    }
  }
  return decision;
}

const CommandRound* first_failed(const CommandDuet& duet, CommandRun CommandRound::*side) {
  for (const CommandRound& round : duet.rounds) {
    if ((round.*side).outcome != TrialOutcome::completed) return &round;
  }
  return nullptr;
}

std::string failure_text(const char* side, const CommandRound& round, const CommandRun& run) {
  return fmt::format("side {} did not complete round {}: {}: {}", side, round.index,
                     enum_text(run.outcome), run.outcome_detail);
}

// Where A works, a B that does not is worse; where A does not, nothing can be compared.
void judge_failures(const CommandDuet& duet, Verdict& verdict) {
  const CommandRound* a = first_failed(duet, &CommandRound::a);
  const CommandRound* b = first_failed(duet, &CommandRound::b);
  if (a != nullptr) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons.push_back({failure_text("A", *a, a->a), "correct command A, and repeat"});
  } else if (b != nullptr) {
    verdict.outcome = VerdictOutcome::fail;
    verdict.reasons.push_back({failure_text("B", *b, b->b), "correct command B, and repeat"});
  }
}

void decide_outcome(const std::vector<JudgedFigure>& figures, const SequentialDecision& decision,
                    Verdict& verdict) {
  const bool any_gated = std::any_of(figures.begin(), figures.end(),
                                     [](const JudgedFigure& figure) { return figure.gated; });
  if (!any_gated) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons.push_back({"no figure could be judged",
                               "read why in each figure's row; --metric names metrics of them"});
  } else if (decision.decision == Decision::fail) {
    verdict.outcome = VerdictOutcome::fail;
    explain_fail(verdict, "find the cause and correct it, or judge with a larger --margin");
  } else if (decision.decision == Decision::pass) {
    verdict.outcome = VerdictOutcome::pass;
    verdict.reasons.push_back({"every judged figure is below its margin", ""});
  } else {
    verdict.outcome = VerdictOutcome::inconclusive;
    explain_inconclusive(decision, verdict);
  }
}

Verdict heading_of(const CommandDuet& duet, const Policy& policy) {
  Verdict verdict;
  verdict.duet_id = duet.id;
  verdict.label = duet.label;
  verdict.policy = policy.origin;
  verdict.sink = duet.reads.empty() ? "command" : duet.reads;
  verdict.a = duet.a.label;
  verdict.b = duet.b.label;
  verdict.fingerprint = duet.machine.fingerprint;
  verdict.looks.assign(policy.looks.rounds.begin(), policy.looks.rounds.end());
  verdict.false_fail = policy.looks.false_fail;
  verdict.false_pass = policy.looks.false_pass;
  verdict.rounds_recorded = duet.rounds.size();
  verdict.layouts = duet.b.layouts;
  verdict.difference = duet.difference;
  verdict.remarks = duet.remarks;
  return verdict;
}

}  // namespace

Verdict judge(const CommandDuet& duet, const CommandGateSettings& settings, const Policy& policy) {
  Verdict verdict = heading_of(duet, policy);
  const std::size_t rounds = completed_rounds(duet).size();
  std::vector<JudgedFigure> figures = collect(duet);
  for (JudgedFigure& figure : figures) begin_judgement(figure, rounds, settings);
  const SequentialDecision decision =
      decide_figures(figures, layout_pairs(duet), policy, stops_of(duet));
  verdict.rounds_used = decision.rounds;
  for (const JudgedFigure& figure : figures) verdict.metrics.push_back(figure.judgement);
  judge_failures(duet, verdict);
  if (verdict.reasons.empty()) decide_outcome(figures, decision, verdict);
  if (duet.parts && duet.parts->size() > 1) {
    verdict.remarks.push_back(remark_on_parts(*duet.parts, duet.finished_utc));
  }
  add_history_remarks(policy.history, verdict);
  for (const JudgedFigure& figure : figures) {
    if (figure.judgement.is_measured()) continue;
    verdict.remarks.push_back(
        {fmt::format("{} is not judged: {}", figure.name.name, figure.judgement.reason),
         "let both commands run the same benchmarks"});
  }
  if (duet.a.label != duet.b.label) add_layout_remark(verdict);
  return verdict;
}

bool is_decided(const CommandDuet& duet, const CommandGateSettings& settings,
                const Policy& policy) {
  if (!is_look(policy.looks, stops_of(duet), completed_rounds(duet).size())) return false;
  return judge(duet, settings, policy).outcome != VerdictOutcome::inconclusive;
}

bool can_go_on(const CommandDuet& duet, const CommandGateSettings& settings, const Policy& policy) {
  return looks_with_stops(policy.looks, stops_of(duet)).back().rounds >
             completed_rounds(duet).size() &&
         judge(duet, settings, policy).outcome == VerdictOutcome::inconclusive;
}

std::vector<MetricJudgement> describe_figures(const CommandDuet& duet) {
  const std::size_t rounds = completed_rounds(duet).size();
  std::vector<MetricJudgement> judgements;
  for (JudgedFigure& figure : collect(duet)) {
    begin_judgement(figure, rounds, {});
    figure.judgement.margin = 0;
    if (figure.judgement.is_measured()) {
      describe_effect(figure.series, EffectKind::ratio, rounds, layout_pairs(duet),
                      figure.judgement);
    }
    judgements.push_back(std::move(figure.judgement));
  }
  return judgements;
}

}  // namespace tailgate
