// A duet as text for a terminal of 80 columns. It shows differences and their uncertainty; the gate
// decides whether a difference matters.
//
// For each metric: the median over the rounds of each side, the median over the rounds of B against
// A, and its 95 % interval (quantile_interval of harness/stats). Only rounds that both sides
// completed count.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/gate/effect_text.h"
#include "harness/gate/gate.h"
#include "harness/gate/metrics.h"
#include "harness/report/difference_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/metrics_text.h"
#include "harness/report/painter.h"
#include "harness/result/latency.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

std::vector<const DuetRound*> whole_rounds(const Duet& duet) {
  std::vector<const DuetRound*> rounds;
  for (const DuetRound& round : duet.rounds) {
    if (is_completed(round)) rounds.push_back(&round);
  }
  return rounds;
}

std::vector<double> carry_overs(DuetSide DuetRound::*side,
                                const std::vector<const DuetRound*>& rounds) {
  std::vector<double> effects;
  for (const DuetRound* round : rounds) {
    if ((round->*side).carry_over) effects.push_back(*(round->*side).carry_over);
  }
  return effects;
}

std::string carry_over_line(const char* sides, const std::vector<double>& effects) {
  if (effects.empty()) return "";
  constexpr double kConfidence = 0.95;
  const QuantileInterval interval = quantile_interval(effects, 0.5, kConfidence);
  MetricJudgement ratio;
  ratio.effect = std::expm1(interval.estimate);
  if (interval.low) ratio.effect_low = std::expm1(*interval.low);
  if (interval.high) ratio.effect_high = std::expm1(*interval.high);
  return paragraph(fmt::format("carry-over, {}: {}", sides, effect_with_interval(ratio)));
}

std::string ledger_line(const std::vector<DuetRound>& rounds) {
  std::uint64_t lost[2] = {};
  std::int64_t unaccounted[2] = {};
  for (const DuetRound& round : rounds) {
    lost[0] += round.a.ledger.lost;
    lost[1] += round.b.ledger.lost;
    unaccounted[0] += round.a.ledger.unaccounted;
    unaccounted[1] += round.b.ledger.unaccounted;
  }
  return paragraph(fmt::format("events lost in all rounds: A {}, B {}; unaccounted: A {}, B {}",
                               human_count(lost[0]), human_count(lost[1]),
                               human_count(unaccounted[0]), human_count(unaccounted[1])));
}

std::string subject_line(char letter, const DuetSubject& subject) {
  const std::string program = subject.program.empty() ? "" : ", program " + subject.program;
  return paragraph(fmt::format("{}  {}{}, build {}{}", letter, subject.label, program,
                               first_columns(subject.build.revision, 12),
                               subject.build.dirty ? " (dirty)" : ""));
}

std::string heading(const Duet& duet, std::size_t whole) {
  std::string text = "duet\n" + subject_line('A', duet.a) + subject_line('B', duet.b);
  const std::string rate =
      duet.a.load.rate_hz > 0 ? fmt::format(", {} events/s", human_rate(duet.a.load.rate_hz)) : "";
  text += paragraph(fmt::format("{}{}; {} rounds of {} turns of {} a side{}, seed {}",
                                duet.a.scenario.name, rate, whole, duet.turns,
                                human_duration(duet.turn_ns),
                                duet.drain == "none" ? "" : ", drained between turns", duet.seed));
  if (!duet.label.empty()) text += paragraph(duet.label);
  return text;
}

std::string remark_lines(const Duet& duet) {
  std::string text;
  const auto add = [&text](const std::string& where, const Remark& remark) {
    text += paragraph(where + remark.what + (remark.remedy.empty() ? "" : "; " + remark.remedy));
  };
  for (const Remark& remark : duet.remarks) add("! ", remark);
  constexpr std::size_t kMaxRemarks = 5;
  std::size_t count = 0;
  for (const DuetRound& round : duet.rounds) {
    for (const Remark& remark : round.remarks) {
      if (++count <= kMaxRemarks) add(fmt::format("! round {}, ", round.index), remark);
    }
  }
  if (count > kMaxRemarks) {
    text += paragraph(fmt::format("! and {} more remarks in the file", count - kMaxRemarks));
  }
  return text;
}

std::string round_lines(const std::vector<const DuetRound*>& rounds) {
  std::string text = fmt::format("\n  {:>5}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "round",
                                 "A p50", "B p50", "A p99", "B p99", "A p99.9", "B p99.9");
  for (const DuetRound* round : rounds) {
    const Latency& a = round->a.service;
    const Latency& b = round->b.service;
    text += fmt::format("  {:>5}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", round->index,
                        human_duration(a.p50_ns), human_duration(b.p50_ns),
                        human_duration(a.p99_ns), human_duration(b.p99_ns),
                        human_duration(a.p99_9_ns), human_duration(b.p99_9_ns));
  }
  return text;
}

std::string render_duet(const Duet& duet, const ExportOptions& options) {
  const std::vector<const DuetRound*> rounds = whole_rounds(duet);
  std::string text = heading(duet, rounds.size());
  if (rounds.empty())
    return text + "\n  no round was completed by both sides\n" + remark_lines(duet);
  text += "\n" + metrics_table(describe_metrics(duet), Painter(options.colour));
  text += ledger_line(duet.rounds);
  text += carry_over_line("A after B against A after A", carry_overs(&DuetRound::a, rounds));
  text += carry_over_line("B after A against B after B", carry_overs(&DuetRound::b, rounds));
  if (options.trials) text += round_lines(rounds);
  if (duet.difference) text += "\n" + difference_text(*duet.difference);
  return text + remark_lines(duet);
}

}  // namespace

constinit const Exporter exporters::duet_text =
    exporter_of<render_duet, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
