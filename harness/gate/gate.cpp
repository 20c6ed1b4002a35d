#include "harness/gate/gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "harness/gate/effect_text.h"
#include "harness/gate/judgement.h"
#include "harness/gate/validity.h"
#include "harness/gate/waivers.h"
#include "harness/result/latency.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

constexpr int kExitPass = 0;
constexpr int kExitFail = 1;
constexpr int kExitInconclusive = 3;
constexpr int kExitInvalid = 4;

constexpr double kShiftQuantiles[] = {0.01, 0.05,  0.1,  0.25,  0.5,    0.75,  0.9,
                                      0.95, 0.975, 0.99, 0.995, 0.9975, 0.999, 0.9995};

std::vector<const DuetRound*> rounds_used(const Duet& duet, std::size_t count) {
  std::vector<const DuetRound*> rounds;
  for (const DuetRound& round : duet.rounds) {
    if (rounds.size() < count && is_completed(round)) rounds.push_back(&round);
  }
  return rounds;
}

std::size_t completed_rounds(const Duet& duet, std::size_t among) {
  return static_cast<std::size_t>(std::count_if(
      duet.rounds.begin(), duet.rounds.begin() + static_cast<std::ptrdiff_t>(among), is_completed));
}

std::vector<std::size_t> stops_of(const Duet& duet) {
  return stops_of(duet.parts, duet.rounds.size(),
                  [&](std::size_t among) { return completed_rounds(duet, among); });
}

// Adds both sides' merged distributions, and the shift at every quantile beyond which a round has
// ten calls or more on average.
void add_distributions(const Duet& duet, Verdict& verdict) {
  const auto rounds = rounds_used(duet, verdict.rounds_used);
  if (rounds.empty()) return;
  std::vector<Histogram> a;
  std::vector<Histogram> b;
  for (const DuetRound* round : rounds) {
    a.push_back(decode_latency(round->a.response));
    b.push_back(decode_latency(round->b.response));
  }
  constexpr double kFewestBeyond = 10;
  const auto events = static_cast<double>(round_load(duet).calls);
  for (const double quantile : kShiftQuantiles) {
    if (std::round((1 - quantile) * events) < kFewestBeyond) break;
    std::vector<double> effects;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const auto from = static_cast<double>(a[i].value_at_quantile(quantile));
      const auto to = static_cast<double>(b[i].value_at_quantile(quantile));
      if (from > 0 && to > 0) effects.push_back(std::log(to / from));
    }
    if (effects.size() != rounds.size()) continue;
    const QuantileInterval interval = quantile_interval(effects, 0.5, 0.95);
    QuantileRatio& shift = verdict.shifts.emplace_back();
    shift.quantile = quantile;
    shift.ratio = std::exp(interval.estimate);
    if (interval.low) shift.low = std::exp(*interval.low);
    if (interval.high) shift.high = std::exp(*interval.high);
  }
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    a[0].add(a[i]);
    b[0].add(b[i]);
  }
  verdict.response_a = make_latency(a[0]);
  verdict.response_b = make_latency(b[0]);
}

Verdict heading_of(const Duet& duet, const Policy& policy) {
  Verdict verdict;
  verdict.duet_id = duet.id;
  verdict.label = duet.label;
  verdict.policy = policy.origin;
  verdict.a = duet.a.label;
  verdict.b = duet.b.label;
  verdict.a_revision = duet.a.build.revision;
  verdict.b_revision = duet.b.build.revision;
  verdict.sink = duet.b.sink.label;
  verdict.scenario = duet.b.scenario.preset.empty() ? duet.b.scenario.name : duet.b.scenario.preset;
  verdict.load = duet.b.load;
  verdict.fingerprint = duet.machine.fingerprint;
  verdict.looks.assign(policy.looks.rounds.begin(), policy.looks.rounds.end());
  verdict.false_fail = policy.looks.false_fail;
  verdict.false_pass = policy.looks.false_pass;
  verdict.rounds_recorded = duet.rounds.size();
  verdict.layouts = duet.b.layouts;
  return verdict;
}

void add_waiver_remarks(const Duet& duet, const Policy& policy, Verdict& verdict) {
  for (const MetricJudgement& metric : verdict.metrics) {
    if (metric.waiver.empty()) continue;
    const Waiver& waiver = *policy.waiver(metric.name, duet.b);
    if (metric.effect_high && *metric.effect_high < waiver.low) {
      verdict.remarks.push_back(
          {fmt::format("{} changed by {}, less than its waiver expects, {} to {}", metric.name,
                       effect_with_interval(metric), effect_text(metric, waiver.low),
                       effect_text(metric, waiver.high)),
           "withdraw the waiver or set it to what is measured"});
    }
  }
}

// Where B does less than it did, a reader should know why: work may be missing.
void add_improvement_remarks(Verdict& verdict) {
  for (const MetricJudgement& metric : verdict.metrics) {
    if (!metric.is_gated() || metric.effect_kind != EffectKind::ratio || !metric.effect_high) {
      continue;
    }
    // A margin that is spent says nothing of improvements.
    if (metric.margin <= 0) continue;
    // As much less as the margin tolerates more, by logarithm.
    if (*metric.effect_high >= 1 / (1 + metric.margin) - 1) continue;
    verdict.remarks.push_back(
        {fmt::format("{} improved by more than its margin: {}", metric.name,
                     effect_with_interval(metric)),
         "nothing, if the change is meant to do that; else see whether side B leaves work out"});
  }
}

void add_metric_remarks(const Duet& duet, const Policy& policy, Verdict& verdict) {
  for (const MetricJudgement& metric : verdict.metrics) {
    const bool wanted = policy.rule(*find_metric(metric.name), duet.b).gate;
    if (wanted && !metric.is_measured()) {
      verdict.remarks.push_back({fmt::format("{} is not gated: {}", metric.name, metric.reason),
                                 "nothing, where this system or sink does not have it"});
    }
  }
}

bool has_failed(const Verdict& verdict, std::string_view metric) {
  return std::any_of(verdict.metrics.begin(), verdict.metrics.end(), [&](const auto& judgement) {
    return judgement.name == metric && judgement.decision == MetricOutcome::fail;
  });
}

// How long the processes of the oldest round lived; empty where the duet does not say.
// Two digits, and no exponent.
std::string rough(double seconds) {
  const double unit = std::pow(10, std::floor(std::log10(seconds)) - 1);
  return fmt::format("{:g} s", std::round(seconds / unit) * unit);
}

std::string oldest_text(const Duet& duet) {
  std::uint64_t oldest_ns = 0;
  for (const DuetRound& round : duet.rounds) {
    if (is_completed(round)) oldest_ns = std::max(oldest_ns, round.age_ns.value_or(0));
  }
  if (oldest_ns == 0) return "";
  return fmt::format("; processes lived up to {}", rough(static_cast<double>(oldest_ns) / 1e9));
}

// How rare a stall of B must be to have gone unseen.
void add_stall_limit(const Duet& duet, Verdict& verdict) {
  constexpr const char* kStalls = "calls_over_1ms";
  constexpr double kTail = 0.05;
  const std::vector<MetricSeries> all = metric_series(duet);
  const auto stalls = std::find_if(
      all.begin(), all.end(), [](const MetricSeries& series) { return series.name == kStalls; });
  if (stalls == all.end() || verdict.rounds_used == 0) return;
  const RoundLoad load = round_load(duet);
  CountRounds counts = count_rounds(*stalls, CountOf::calls, load, round_coins(duet).layout_pairs);
  counts.exposure = load.seconds;
  const double per_second = excess_limits(counts, verdict.rounds_used, 0, kTail).high;
  if (!(per_second > 0) || !std::isfinite(per_second)) return;
  verdict.remarks.push_back(
      {fmt::format("calls over 1 ms that B makes once in {} of load more than A, or more "
                   "rarely, would not have been seen{}",
                   rough(1 / per_second), oldest_text(duet)),
       "more rounds see rarer ones"});
}

// Whether each side is a build of its own: another program, or another plugin.
bool has_two_builds(const Duet& duet) {
  const auto file_of = [](const DuetSubject& side) {
    const std::string sink = side.sink.label.substr(0, side.sink.label.find(':'));
    return sink.find_first_of("/\\") == std::string::npos ? std::string() : sink;
  };
  return duet.a.program != duet.b.program || duet.a.build.revision != duet.b.build.revision ||
         file_of(duet.a) != file_of(duet.b);
}

// Another layout of the same code changes times by more than some margins of a class tolerate.
bool has_few_layouts(const Duet& duet) {
  const unsigned fewest = std::min(duet.a.layouts.value_or(1), duet.b.layouts.value_or(1));
  return has_two_builds(duet) && fewest < kClassLayouts;
}

Remark remark_on_dropped_caps() {
  return {fmt::format("margins of this machine's class are not used: they are for two builds of {} "
                      "layouts in memory each",
                      kClassLayouts),
          fmt::format("set layouts = {} in tailgate.toml for smaller margins", kClassLayouts)};
}

void decide_outcome(const Duet& duet, const Policy& policy, const SequentialDecision& decision,
                    Verdict& verdict) {
  verdict.reasons = reasons_not_to_judge(duet, policy);
  if (!verdict.reasons.empty()) {
    verdict.outcome = VerdictOutcome::invalid;
    return;
  }
  const std::vector<Remark> missed = missed_rate_of_b(duet, policy);
  const std::vector<Remark> lossy = losses_too_large(duet);
  verdict.reasons = hard_failures(duet);
  if (verdict.reasons.empty() && !lossy.empty() && !has_failed(verdict, "events_lost")) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons = lossy;
    return;
  }
  if (!verdict.reasons.empty() || decision.decision == Decision::fail) {
    verdict.outcome = VerdictOutcome::fail;
    explain_fail(verdict,
                 "find the cause and correct it, or agree on the change by a waiver in the "
                 "policy");
  } else if (decision.metrics.empty()) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons.push_back(
        {"no metric could be gated", "read why in each metric's row, and the duet's own remarks"});
  } else if (!missed.empty()) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.reasons = missed;
  } else if (decision.decision == Decision::pass) {
    verdict.outcome = VerdictOutcome::pass;
    verdict.reasons.push_back({"every gated metric is below its margin", ""});
  } else {
    verdict.outcome = VerdictOutcome::inconclusive;
    explain_inconclusive(decision, verdict);
  }
}

// Rounds are complete once their generation has ended.
Looks looks_at(const Duet& duet, const Policy& policy) {
  return policy.looks_at(duet.b, duet.generation_rounds.value_or(0));
}

// Whether the looks so far have decided.
bool is_settled(const Duet& duet, const Policy& policy, std::string_view today) {
  const VerdictOutcome outcome = judge(duet, policy, today).outcome;
  if (outcome != VerdictOutcome::invalid) return outcome != VerdictOutcome::inconclusive;
  // Too large a share of rounds with a missed rate may become small enough with more rounds.
  Policy patient = policy;
  patient.most_missed_rounds = 1;
  return judge(duet, patient, today).outcome == VerdictOutcome::invalid;
}

}  // namespace

int verdict_exit_code(VerdictOutcome outcome) {
  switch (outcome) {
    case VerdictOutcome::pass:
      return kExitPass;
    case VerdictOutcome::fail:
      return kExitFail;
    case VerdictOutcome::inconclusive:
      return kExitInconclusive;
    case VerdictOutcome::invalid:
      break;
  }
  return kExitInvalid;
}

VerdictOutcome worst_of(const std::vector<VerdictOutcome>& outcomes) {
  for (const VerdictOutcome outcome :
       {VerdictOutcome::fail, VerdictOutcome::invalid, VerdictOutcome::inconclusive}) {
    if (std::find(outcomes.begin(), outcomes.end(), outcome) != outcomes.end()) return outcome;
  }
  return VerdictOutcome::pass;
}

int verdict_exit_code(const std::vector<Verdict>& verdicts) {
  std::vector<VerdictOutcome> outcomes;
  for (const Verdict& verdict : verdicts) outcomes.push_back(verdict.outcome);
  return verdict_exit_code(worst_of(outcomes));
}

Verdict judge(const Duet& duet, const Policy& given, std::string_view today) {
  Policy policy =
      with_class_margins(with_valid_waivers(given, duet, today), duet.machine.fingerprint, duet.b);
  const bool drops_caps = !policy.caps.empty() && has_few_layouts(duet);
  if (drops_caps) policy.caps.clear();
  policy.looks = looks_at(duet, policy);
  Verdict verdict = heading_of(duet, policy);
  MetricsDecision metrics = decide_metrics(metric_series(duet), round_load(duet), round_coins(duet),
                                           stops_of(duet), duet.b, policy);
  verdict.rounds_used = metrics.decision.rounds;
  verdict.metrics = std::move(metrics.judgements);
  decide_outcome(duet, policy, metrics.decision, verdict);
  verdict.remarks = cautions(duet);
  verdict.remarks.insert(verdict.remarks.end(), duet.remarks.begin(), duet.remarks.end());
  if (duet.parts && duet.parts->size() > 1) {
    verdict.remarks.push_back(remark_on_parts(*duet.parts, duet.finished_utc));
  }
  add_history_remarks(policy.history, verdict);
  add_metric_remarks(duet, policy, verdict);
  add_waiver_remarks(duet, policy, verdict);
  add_improvement_remarks(verdict);
  if (has_two_builds(duet)) add_layout_remark(verdict);
  if (drops_caps) verdict.remarks.push_back(remark_on_dropped_caps());
  if (verdict.outcome == VerdictOutcome::pass) add_stall_limit(duet, verdict);
  for (Remark& remark : waivers_left_out(given, duet, today)) {
    verdict.remarks.push_back(std::move(remark));
  }
  add_distributions(duet, verdict);
  verdict.difference = duet.difference;
  return verdict;
}

bool is_decided(const Duet& duet, const Policy& policy, std::string_view today) {
  return is_look(looks_at(duet, policy), stops_of(duet),
                 completed_rounds(duet, duet.rounds.size())) &&
         is_settled(duet, policy, today);
}

bool can_go_on(const Duet& duet, const Policy& policy, std::string_view today) {
  return looks_with_stops(looks_at(duet, policy), stops_of(duet)).back().rounds >
             completed_rounds(duet, duet.rounds.size()) &&
         !is_settled(duet, policy, today);
}

std::string today_utc() {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

}  // namespace tailgate
