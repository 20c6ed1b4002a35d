#include "harness/report/judge_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/report/ranking.h"
#include "harness/result/overhead_summary.h"
#include "harness/stats/trial_interval.h"

namespace tailgate {
namespace {

constexpr double kConfidence = 0.95;
// Of each of two intervals, so that both hold with 95 % (Bonferroni).
constexpr double kConfidenceOfTwo = 0.975;

// The step that measures a run.
struct MeasuredRun {
  const NamedResult* named = nullptr;
  const StepSummary* step = nullptr;
};

// A figure, or why it tells nothing.
struct Judged {
  std::optional<ClaimFigure> figure;
  std::string doubt;
};

Judged doubted(std::string doubt, std::optional<ClaimFigure> figure = {}) {
  return {figure, std::move(doubt)};
}

MeasuredRun find_run(const ClaimRun& run, const Results& results) {
  MeasuredRun found;
  for (const NamedResult& named : results) {
    if (!run.matches(named.result)) continue;
    if (found.named != nullptr && named.result.started_utc < found.named->result.started_utc) {
      continue;
    }
    for (const StepSummary& step : named.result.summary) {
      if (run.matches(step)) found = {&named, &step};
    }
  }
  return found;
}

// By what the machine's gaps decide a figure.
Trust trust_needed(const ClaimMetric& metric) {
  const std::string& name = metric.name;
  switch (metric.kind) {
    case ClaimKind::time:
      return metric.tail_share == 0.5 ? Trust::median : Trust::tails;
    case ClaimKind::figure:
      if (name.ends_with("_hz") || name.find("_p9") != std::string::npos) return Trust::tails;
      return name.find("p50") != std::string::npos ? Trust::median : Trust::nothing;
    case ClaimKind::lost:
    case ClaimKind::cpu:
    case ClaimKind::machine:
    case ClaimKind::written:
    case ClaimKind::rate:
      break;
  }
  return Trust::median;
}

// Trust is in the order from most to least.
std::string machine_doubt(const ClaimMetric& metric, const MeasuredRun& run) {
  std::vector<RankedPath> paths;
  if (metric.kind == ClaimKind::figure) {
    for (const StepSummary& step : run.named->result.summary) {
      paths.push_back(path_of(run.named->result, step));
    }
  } else {
    paths.push_back(path_of(run.named->result, *run.step));
  }
  const Trust trust = trust_in(paths);
  if (trust <= trust_needed(metric)) return "";
  if (trust == Trust::median) {
    return fmt::format("the machine was used by others, which decides {}", metric.name);
  }
  const bool observed = std::all_of(paths.begin(), paths.end(), [](const RankedPath& path) {
    return path.unobserved_trials == 0;
  });
  return observed ? "the machine was busy" : "nobody looked whether the machine was free";
}

// Why no figure of the run tells anything.
std::string run_doubt(const MeasuredRun& run) {
  const Result& result = run.named->result;
  if (!result.label.empty()) return "the use of the result is restricted: " + result.label;
  const RankedPath path = path_of(result, *run.step);
  if (result.answer) return "";
  if (run.step->trials < path.all_trials || run.step->trials == 0) {
    return fmt::format("{} of {} trials did not complete", path.all_trials - run.step->trials,
                       path.all_trials);
  }
  if (!path.ledger.balanced) return "events are unaccounted for";
  return "";
}

Judged figure_of_values(const std::vector<double>& values, double confidence,
                        const ClaimMetric& metric) {
  if (values.empty()) return doubted(fmt::format("{} was not measured", metric.name));
  ClaimFigure figure{values.front(), {}, {}, values.size()};
  const auto interval = trial_interval(values, confidence);
  if (!interval) return doubted("one trial alone has no interval", figure);
  figure.value = interval->estimate;
  figure.low = interval->low;
  figure.high = interval->high;
  // Student's interval may reach below what can be; what is above a control trial may be there.
  const bool above_control = metric.kind == ClaimKind::cpu || metric.kind == ClaimKind::machine ||
                             metric.kind == ClaimKind::written;
  if (!above_control) figure.low = std::max(0.0, *figure.low);
  return {figure, ""};
}

std::vector<const Trial*> completed_trials(const MeasuredRun& run) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : run.named->result.trials) {
    if (trial.step == run.step->step && trial.outcome == TrialOutcome::completed) {
      trials.push_back(&trial);
    }
  }
  return trials;
}

Judged time_figure(const ClaimMetric& metric, const MeasuredRun& run, double confidence) {
  std::vector<double> values;
  bool lower_bound = false;
  double fewest = std::numeric_limits<double>::max();
  for (const Trial* trial : completed_trials(run)) {
    const Latency* times = metric.times(*trial);
    if (times == nullptr) continue;
    values.push_back(metric.time_ns(*times));
    fewest = std::min(fewest, static_cast<double>(times->count));
    lower_bound = lower_bound || (trial->unissued > 0 && times == &trial->response);
  }
  Judged judged = figure_of_values(values, confidence, metric);
  const double beyond = fewest * metric.tail_share;
  const bool too_few = metric.tail_share > 0 ? beyond < kLeastBeyond : fewest == 0;
  if (!values.empty() && too_few) {
    return doubted(fmt::format("{:.0f} calls of a trial decide {}, and {:.0f} are needed",
                               std::floor(beyond), metric.name, kLeastBeyond),
                   judged.figure);
  }
  if (lower_bound && judged.figure) judged.figure->high.reset();
  return judged;
}

// Events are counted, not sampled: the ends are the least and the most of the trials.
Judged lost_figure(const ClaimBound& bound, const MeasuredRun& run) {
  double lost = 0;
  double emitted = 0;
  ClaimFigure figure{0, std::numeric_limits<double>::max(), 0.0, 0};
  for (const Trial* trial : completed_trials(run)) {
    const auto events = static_cast<double>(trial->ledger.emitted);
    const auto gone = static_cast<double>(trial->ledger.lost);
    if (events == 0) continue;
    const double value = bound.unit == ClaimUnit::count ? gone : gone / events;
    figure.low = std::min(*figure.low, value);
    figure.high = std::max(*figure.high, value);
    ++figure.trials;
    lost += gone;
    emitted += events;
  }
  if (figure.trials == 0) return doubted("no event was emitted");
  figure.value = bound.unit == ClaimUnit::count ? *figure.high : lost / emitted;
  const StepFacts facts = step_facts(run.named->result, run.step->step);
  if (!facts.ledger.checked) return doubted("its events were not read back", figure);
  return {figure, ""};
}

std::optional<double> logging_value(const ClaimMetric& metric, const TrialPair& pair) {
  for (const RoleOverhead& overhead : summarize_overhead({pair})) {
    if (overhead.role != kLoggingRole) continue;
    const std::optional<Estimate>& estimate =
        metric.kind == ClaimKind::cpu       ? overhead.cpu_ns_per_event
        : metric.kind == ClaimKind::machine ? overhead.machine_percent
                                            : overhead.written_bytes_per_event;
    if (!estimate) return {};
    return metric.kind == ClaimKind::machine ? estimate->mean / 100 : estimate->mean;
  }
  return {};
}

// What logging uses above the control trials; without those it contains tailgate's own use, so that
// it can only be too high.
Judged overhead_figure(const ClaimMetric& metric, const MeasuredRun& run, double confidence) {
  std::vector<double> values;
  for (const TrialPair& pair : overhead_pairs(run.named->result, run.step->step)) {
    if (const auto value = logging_value(metric, pair)) values.push_back(*value);
  }
  Judged judged = figure_of_values(values, confidence, metric);
  if (judged.figure && run.named->result.controls.empty()) judged.figure->low.reset();
  return judged;
}

Judged rate_figure(const ClaimMetric& metric, const MeasuredRun& run, double confidence) {
  std::vector<double> values;
  for (const Trial* trial : completed_trials(run)) values.push_back(trial->achieved_rate_hz);
  Judged judged = figure_of_values(values, confidence, metric);
  if (run.step->saturated && run.step->saturated_by_machine.value_or(false)) {
    judged.doubt = "the rate was missed by the machine's fault";
  }
  return judged;
}

Judged answer_figure(const ClaimMetric& metric, const MeasuredRun& run) {
  const std::optional<Answer>& answer = run.named->result.answer;
  if (!answer) return doubted("the result has no answer of a scenario");
  for (const AnswerFigure& figure : answer->figures) {
    if (figure.name != metric.name) continue;
    const ClaimFigure found{figure.value, figure.low, figure.high, figure.trials};
    if (figure.trials < 2) return doubted("one trial alone has no interval", found);
    return {found, ""};
  }
  return doubted(fmt::format("the answer has no figure {}", metric.name));
}

Judged figure_of(const ClaimBound& bound, const MeasuredRun& run, double confidence) {
  const ClaimMetric& metric = bound.metric;
  Judged judged;
  switch (metric.kind) {
    case ClaimKind::time:
      judged = time_figure(metric, run, confidence);
      break;
    case ClaimKind::lost:
      judged = lost_figure(bound, run);
      break;
    case ClaimKind::cpu:
    case ClaimKind::machine:
    case ClaimKind::written:
      judged = overhead_figure(metric, run, confidence);
      break;
    case ClaimKind::rate:
      judged = rate_figure(metric, run, confidence);
      break;
    case ClaimKind::figure:
      judged = answer_figure(metric, run);
      break;
  }
  const std::string of_run = run_doubt(run);
  const std::string of_machine = machine_doubt(metric, run);
  if (!of_machine.empty()) judged.doubt = of_machine;
  if (!of_run.empty()) judged.doubt = of_run;
  return judged;
}

// The quotient lies between those of the intervals' ends.
Judged ratio_of(const Judged& a, const Judged& b) {
  if (!a.doubt.empty()) return doubted(a.doubt);
  if (!b.doubt.empty()) return doubted(b.doubt);
  const ClaimFigure& over = *a.figure;
  const ClaimFigure& under = *b.figure;
  if (!(under.value > 0)) return doubted("the other run's figure is not above zero");
  ClaimFigure ratio{over.value / under.value, {}, {}, std::min(over.trials, under.trials)};
  if (over.low && under.high) ratio.low = std::max(0.0, *over.low) / *under.high;
  if (over.high && under.low && *under.low > 0) ratio.high = *over.high / *under.low;
  return {ratio, ""};
}

ClaimOutcome outcome_of(const ClaimBound& bound, const ClaimFigure& figure) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double low = figure.low.value_or(-infinity);
  const double high = figure.high.value_or(infinity);
  if (bound.relation == BoundRelation::exactly) {
    if (bound.limit < low || bound.limit > high) return ClaimOutcome::does_not_hold;
    return low == high ? ClaimOutcome::holds : ClaimOutcome::cannot_be_told;
  }
  const bool low_holds = relation_holds(bound.relation, low, bound.limit);
  const bool high_holds = relation_holds(bound.relation, high, bound.limit);
  if (low_holds != high_holds) return ClaimOutcome::cannot_be_told;
  return low_holds ? ClaimOutcome::holds : ClaimOutcome::does_not_hold;
}

// The unit of the figures themselves, which a bound on their ratio does not have.
ClaimUnit unit_of(const ClaimBound& bound) {
  if (bound.unit != ClaimUnit::ratio) return bound.unit;
  const std::string& name = bound.metric.name;
  switch (bound.metric.kind) {
    case ClaimKind::time:
    case ClaimKind::cpu:
      return ClaimUnit::ns;
    case ClaimKind::lost:
    case ClaimKind::machine:
      return ClaimUnit::share;
    case ClaimKind::written:
      return ClaimUnit::bytes;
    case ClaimKind::rate:
      return ClaimUnit::per_s;
    case ClaimKind::figure:
      break;
  }
  if (name.ends_with("_ns")) return ClaimUnit::ns;
  if (name.ends_with("_hz")) return ClaimUnit::per_s;
  if (name.ends_with("_bytes")) return ClaimUnit::bytes;
  return name.ends_with("_events") ? ClaimUnit::count : ClaimUnit::share;
}

struct BoundOutcome {
  ClaimOutcome outcome = ClaimOutcome::cannot_be_told;
  std::string reason;
};

// Judges one bound and adds what is shown of it, unless another bound has shown it.
BoundOutcome judge_bound(const ClaimBound& bound, const MeasuredRun& run, const MeasuredRun* than,
                         ClaimVerdict& verdict) {
  const double confidence = than == nullptr ? kConfidence : kConfidenceOfTwo;
  const Judged own = figure_of(bound, run, confidence);
  Judged deciding = own;
  ClaimShown shown{bound.metric.name, unit_of(bound), own.figure.value_or(ClaimFigure()), {}, {}};
  bool measured = own.figure.has_value();
  if (than != nullptr) {
    const Judged other = figure_of(bound, *than, confidence);
    deciding = ratio_of(own, other);
    shown.than = other.figure;
    shown.ratio = deciding.figure;
    measured = measured && other.figure;
  }
  const bool is_new =
      std::none_of(verdict.shown.begin(), verdict.shown.end(), [&](const ClaimShown& earlier) {
        return earlier.metric == shown.metric && earlier.unit == shown.unit;
      });
  if (measured && is_new) verdict.shown.push_back(shown);
  if (!deciding.doubt.empty()) return {ClaimOutcome::cannot_be_told, deciding.doubt};
  const ClaimOutcome outcome = outcome_of(bound, *deciding.figure);
  if (outcome != ClaimOutcome::cannot_be_told) return {outcome, ""};
  return {outcome, fmt::format("the interval of the trials straddles the limit, {}", bound.text)};
}

// Which of the runs is missing, and why.
void explain_missing(const ClaimRun& run, const ClaimSurroundings& surroundings,
                     ClaimVerdict& verdict) {
  verdict.reason = surroundings.why_not_here(run.sink);
  if (!verdict.reason.empty()) return;
  verdict.reason = fmt::format("not measured: {}", run.subject());
  verdict.measure = surroundings.command(run);
}

ClaimVerdict judge_claim(const Claim& claim, const Results& results,
                         const ClaimSurroundings& surroundings) {
  ClaimVerdict verdict{claim.text, claim.source, claim.means, claim.run.subject(),
                       claim.than ? claim.than->subject() : ""};
  for (const ClaimBound& bound : claim.bounds) verdict.bounds.push_back(bound.text);
  const MeasuredRun run = find_run(claim.run, results);
  const MeasuredRun than = claim.than ? find_run(*claim.than, results) : MeasuredRun();
  for (const MeasuredRun* one : {&run, &than}) {
    if (one->named != nullptr) verdict.files.push_back(one->named->name);
  }
  if (run.named == nullptr) {
    explain_missing(claim.run, surroundings, verdict);
    return verdict;
  }
  if (claim.than && than.named == nullptr) {
    explain_missing(*claim.than, surroundings, verdict);
    return verdict;
  }
  if (claim.than &&
      run.named->result.machine.fingerprint != than.named->result.machine.fingerprint) {
    verdict.reason = "the two runs are of different machines";
    return verdict;
  }
  bool all_hold = true;
  bool one_fails = false;
  for (const ClaimBound& bound : claim.bounds) {
    const BoundOutcome one = judge_bound(bound, run, claim.than ? &than : nullptr, verdict);
    all_hold = all_hold && one.outcome == ClaimOutcome::holds;
    one_fails = one_fails || one.outcome == ClaimOutcome::does_not_hold;
    if (verdict.reason.empty()) verdict.reason = one.reason;
  }
  if (all_hold) verdict.outcome = ClaimOutcome::holds;
  if (one_fails) verdict.outcome = ClaimOutcome::does_not_hold;
  if (verdict.outcome != ClaimOutcome::cannot_be_told) verdict.reason.clear();
  return verdict;
}

std::string machine_text(const Results& results) {
  if (results.empty()) return "";
  const Machine& machine = results.front().result.machine;
  const bool same = std::all_of(results.begin(), results.end(), [&](const NamedResult& named) {
    return named.result.machine.fingerprint == machine.fingerprint;
  });
  if (!same) return "several machines";
  return fmt::format("{}, {} processors, {} {}", machine.cpu_model, machine.logical_cpus,
                     machine.os, machine.kernel);
}

}  // namespace

std::size_t ClaimVerdicts::count(ClaimOutcome outcome) const {
  return static_cast<std::size_t>(
      std::count_if(list.begin(), list.end(),
                    [&](const ClaimVerdict& verdict) { return verdict.outcome == outcome; }));
}

ClaimVerdicts judge_claims(const std::vector<Claim>& claims, const Results& results,
                           const ClaimSurroundings& surroundings) {
  ClaimVerdicts verdicts;
  verdicts.machine = machine_text(results);
  for (const Claim& claim : claims) {
    verdicts.list.push_back(judge_claim(claim, results, surroundings));
  }
  return verdicts;
}

}  // namespace tailgate
