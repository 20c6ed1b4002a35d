#include "harness/gate/judge_budget.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "harness/gate/gate.h"
#include "harness/result/overhead_summary.h"
#include "harness/result/step_facts.h"
#include "harness/stats/trial_interval.h"

namespace tailgate {
namespace {

constexpr double kBudgetConfidence = 0.95;
// A rate counts as reached at this share of it, as it does for Trial::rate_missed.
constexpr double kReachedShare = 0.99;

// One step of a result, and what a bound needs to know of it.
struct JudgedStep {
  const Result& result;
  const StepSummary& step;
  StepFacts facts;
  std::vector<const Trial*> completed;
  std::vector<Remark> invalid;
};

void add_failed_trials(const Result& result, JudgedStep& judged) {
  std::size_t all = 0;
  const Trial* failed = nullptr;
  for (const Trial& trial : result.trials) {
    if (trial.step != judged.step.step) continue;
    ++all;
    if (trial.outcome == TrialOutcome::completed) {
      judged.completed.push_back(&trial);
    } else if (failed == nullptr) {
      failed = &trial;
    }
  }
  if (all == 0) {
    judged.invalid.push_back({"the result holds no trial of this load", "run it again"});
  }
  if (failed == nullptr) return;
  judged.invalid.push_back(
      {fmt::format("{} of {} trials did not complete (trial {}: {}{}{})",
                   all - judged.completed.size(), all, failed->index, enum_text(failed->outcome),
                   failed->outcome_detail.empty() ? "" : ", ", failed->outcome_detail),
       "find the cause ('tailgate show --details'), and run it again"});
}

// What forbids to judge the trials of a step at all.
JudgedStep judged_step(const Result& result, const StepSummary& step) {
  JudgedStep judged{result, step, step_facts(result, step.step), {}, {}};
  const StepFacts& facts = judged.facts;
  if (!result.label.empty()) {
    judged.invalid.push_back({fmt::format("the use of the result is restricted: {}", result.label),
                              "measure where the figures shall hold"});
  }
  add_failed_trials(result, judged);
  if (!facts.ledger.balanced) {
    judged.invalid.push_back({"events are unaccounted for: they disappeared without a report",
                              "see the remarks of 'tailgate show --details'"});
  }
  if (facts.ledger.unchecked) {
    judged.invalid.push_back({"events should have been read back and were not",
                              "see the remarks of 'tailgate show --details'"});
  }
  if (facts.busy_trials > 0) {
    judged.invalid.push_back(
        {fmt::format("the machine was busy in {} of {} trials: an idle thread did not run for up "
                     "to {:.0f} % of the time",
                     facts.busy_trials, facts.all_trials, 100 * facts.worst_busy_share),
         "end other programs, and run it again"});
  }
  return judged;
}

// The value of a bound's quantity in each completed trial.
using TrialValues = std::vector<double>;

void judge_interval(const TrialValues& values, double limit, BoundVerdict& verdict) {
  if (values.empty()) {
    verdict.invalid = {fmt::format("{} was not measured", verdict.bound.quantity->name),
                       "see the remarks of 'tailgate show --details'"};
    return;
  }
  BudgetBound bound = verdict.bound;
  bound.limit = limit;
  verdict.outcome = VerdictOutcome::inconclusive;
  const auto interval = trial_interval(values, kBudgetConfidence);
  if (!interval) {
    verdict.method = BoundMethod::single;
    verdict.value = values.front();
    return;
  }
  verdict.method = interval->of_median ? BoundMethod::median : BoundMethod::mean;
  verdict.value = interval->estimate;
  // Student's interval may reach below what can be.
  const bool has_below = verdict.bound.quantity->kind == BoundKind::cpu ||
                         verdict.bound.quantity->kind == BoundKind::rss;
  verdict.low = has_below ? interval->low : std::max(0.0, interval->low);
  verdict.high = interval->high;
  const bool low_holds = bound.holds(*verdict.low);
  const bool high_holds = bound.holds(*verdict.high);
  if (low_holds && high_holds) verdict.outcome = VerdictOutcome::pass;
  if (!low_holds && !high_holds) verdict.outcome = VerdictOutcome::fail;
  if (verdict.outcome == VerdictOutcome::inconclusive) {
    verdict.trials_needed = trials_to_decide(values, limit, kBudgetConfidence);
  }
}

// Invalid where too few calls were slower than the quantile, and where it may have been higher.
void judge_quantile(const JudgedStep& judged, BoundVerdict& verdict) {
  const BudgetQuantity& quantity = *verdict.bound.quantity;
  TrialValues values;
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t unissued = 0;
  for (const Trial* trial : judged.completed) {
    const Latency& times = trial->*quantity.times;
    fewest = std::min(fewest, times.count);
    unissued += trial->unissued;
    values.push_back(static_cast<double>(times.*quantity.time_ns));
  }
  const double beyond = static_cast<double>(fewest) * quantity.tail_share;
  const bool too_few = quantity.tail_share > 0 ? beyond < kLeastBeyond : fewest == 0;
  if (!values.empty() && too_few) {
    verdict.invalid = {fmt::format("{} of {} calls in a trial is decided by {:.0f} of them, and "
                                   "{:.0f} are needed",
                                   quantity.name, fewest, std::floor(beyond), kLeastBeyond),
                       fmt::format("let a trial make {:.0f} calls or more: --set duration_s=…",
                                   kLeastBeyond / std::max(quantity.tail_share, 0.001))};
    return;
  }
  judge_interval(values, verdict.bound.limit, verdict);
  const bool lower_bound = unissued > 0 && quantity.times == &Trial::response;
  if (!lower_bound || verdict.outcome == VerdictOutcome::fail) return;
  verdict.outcome = VerdictOutcome::invalid;
  verdict.invalid = {fmt::format("{} events were never emitted because the sink was too slow, so "
                                 "{} is a lower bound",
                                 unissued, quantity.name),
                     "bound the rate, too, or run at a lower one"};
}

// The figure of logging above the control trials; without those it contains tailgate's own use, so
// that it can only be too high.
void judge_above_control(const JudgedStep& judged, const TrialValues& values,
                         BoundVerdict& verdict) {
  judge_interval(values, verdict.bound.limit, verdict);
  const bool decided =
      verdict.outcome == VerdictOutcome::pass || verdict.outcome == VerdictOutcome::invalid;
  if (!judged.result.controls.empty() || decided) return;
  verdict.outcome = VerdictOutcome::invalid;
  verdict.invalid = {fmt::format("without control trials {} contains what tailgate itself uses",
                                 verdict.bound.quantity->name),
                     "run it without --no-control"};
}

void judge_cpu(const JudgedStep& judged, BoundVerdict& verdict) {
  TrialValues values;
  for (const TrialPair& pair : overhead_pairs(judged.result, judged.step.step)) {
    for (const RoleOverhead& overhead : summarize_overhead({pair})) {
      if (overhead.role != kLoggingRole || !overhead.cpu_ns_per_event) continue;
      values.push_back(overhead.cpu_ns_per_event->mean);
    }
  }
  judge_above_control(judged, values, verdict);
}

std::optional<double> rss_bytes(const Trial& trial) {
  std::optional<double> sum;
  for (const RoleUse& use : trial.overhead->roles) {
    if (use.role != "provider" && use.role != "daemons") continue;
    if (!use.counters.rss_bytes) continue;
    sum = sum.value_or(0) + static_cast<double>(*use.counters.rss_bytes);
  }
  return sum;
}

void judge_rss(const JudgedStep& judged, BoundVerdict& verdict) {
  TrialValues values;
  for (const TrialPair& pair : overhead_pairs(judged.result, judged.step.step)) {
    const std::optional<double> used = rss_bytes(*pair.trial);
    const std::optional<double> control =
        pair.control == nullptr ? std::optional(0.0) : rss_bytes(*pair.control);
    if (used && control) values.push_back(*used - *control);
  }
  judge_above_control(judged, values, verdict);
}

void judge_rate(const JudgedStep& judged, BoundVerdict& verdict) {
  TrialValues values;
  for (const Trial* trial : judged.completed) values.push_back(trial->achieved_rate_hz);
  judge_interval(values, verdict.bound.limit * kReachedShare, verdict);
}

// Events are counted, not sampled: the bound holds in every trial or it does not hold.
void judge_lost(const JudgedStep& judged, BoundVerdict& verdict) {
  bool any = false;
  bool all_hold = true;
  double worst = 0;
  for (const Trial& trial : judged.result.trials) {
    if (trial.step != judged.step.step || trial.ledger.emitted == 0) continue;
    const auto lost = static_cast<double>(trial.ledger.lost);
    const double value =
        verdict.bound.is_share ? lost / static_cast<double>(trial.ledger.emitted) : lost;
    any = true;
    worst = std::max(worst, value);
    all_hold = all_hold && verdict.bound.holds(value);
  }
  if (!any) {
    verdict.invalid = {"no event was emitted", "run it again"};
    return;
  }
  verdict.method = BoundMethod::counted;
  verdict.value = worst;
  verdict.outcome = all_hold ? VerdictOutcome::pass : VerdictOutcome::fail;
  if (all_hold && !judged.facts.ledger.checked) {
    verdict.outcome = VerdictOutcome::invalid;
    verdict.invalid = {"events were not read back, so nobody knows how many were lost",
                       "run it with a sink and options that can be read back (--consume)"};
  }
}

// What was counted as lost is lost, whatever else is wrong with a trial; everything else needs
// trials that may be judged.
BoundVerdict judge_bound(const BudgetBound& bound, const JudgedStep& judged) {
  BoundVerdict verdict;
  verdict.bound = bound;
  switch (bound.quantity->kind) {
    case BoundKind::quantile:
      judge_quantile(judged, verdict);
      break;
    case BoundKind::lost:
      judge_lost(judged, verdict);
      break;
    case BoundKind::cpu:
      judge_cpu(judged, verdict);
      break;
    case BoundKind::rate:
      judge_rate(judged, verdict);
      break;
    case BoundKind::rss:
      judge_rss(judged, verdict);
      break;
  }
  const bool lost_events = bound.quantity->kind == BoundKind::lost &&
                           verdict.outcome == VerdictOutcome::fail && judged.result.label.empty();
  if (judged.invalid.empty() || lost_events) return verdict;
  verdict.outcome = VerdictOutcome::invalid;
  verdict.trials_needed.reset();
  verdict.invalid = judged.invalid.front();
  return verdict;
}

VerdictOutcome outcome_of(const std::vector<BoundVerdict>& bounds) {
  std::vector<VerdictOutcome> outcomes;
  for (const BoundVerdict& bound : bounds) outcomes.push_back(bound.outcome);
  return worst_of(outcomes);
}

BudgetVerdict judge_step(const Budget& budget, const BudgetSubject& subject,
                         const StepSummary& step) {
  const Result& result = *subject.result;
  const JudgedStep judged = judged_step(result, step);
  BudgetVerdict verdict;
  verdict.budget = budget.subject();
  verdict.file = subject.file;
  verdict.sink = result.sink.label;
  verdict.scenario = result.scenario.preset.empty() ? result.scenario.name : result.scenario.preset;
  verdict.rate_hz = step.rate_hz;
  verdict.trials = judged.completed.size();
  verdict.invalid = judged.invalid;
  if (judged.facts.unobserved_trials > 0) {
    verdict.remarks.push_back(
        {fmt::format("nobody looked whether the machine was free before {} of {} trials, so other "
                     "programs may have changed the figures",
                     judged.facts.unobserved_trials, judged.facts.all_trials),
         "run it without --noise-s 0"});
  }
  for (const BudgetBound& bound : budget.bounds) {
    verdict.bounds.push_back(judge_bound(bound, judged));
  }
  verdict.outcome = outcome_of(verdict.bounds);
  return verdict;
}

std::string rate_option(const Budget& budget) {
  if (!budget.rate_hz || *budget.rate_hz <= 0) return "";
  return fmt::format(" --set rate_hz={:g}", *budget.rate_hz);
}

// A budget for which nothing was measured, and what was.
BudgetVerdict unmatched(const Budget& budget, const std::vector<BudgetSubject>& subjects) {
  constexpr std::size_t kMostNamed = 4;
  std::set<std::string> measured;
  for (const BudgetSubject& subject : subjects) {
    for (const StepSummary& step : subject.result->summary) {
      Budget one;
      one.scenario = subject.result->scenario.name;
      one.sink = subject.result->sink.label;
      one.rate_hz = step.rate_hz;
      measured.insert(one.subject());
    }
  }
  std::vector<std::string> named(measured.begin(), measured.end());
  const std::size_t more = named.size() > kMostNamed ? named.size() - kMostNamed : 0;
  named.resize(named.size() - more);
  BudgetVerdict verdict;
  verdict.budget = budget.subject();
  verdict.sink = budget.sink;
  verdict.scenario = budget.scenario;
  verdict.rate_hz = budget.rate_hz.value_or(0);
  const bool closed = budget.rate_hz && *budget.rate_hz == 0;
  const std::string scenario = !budget.scenario.empty() ? budget.scenario
                               : closed                 ? "max"
                                                        : "steady";
  verdict.invalid.push_back(
      {fmt::format("no result is for the budget of {}; measured: {}{}", verdict.budget,
                   named.empty() ? "nothing" : fmt::format("{}", fmt::join(named, ", ")),
                   more > 0 ? fmt::format(" and {} more", more) : ""),
       fmt::format("measure it: tailgate run {} --sink {}{} --trials 5", scenario, budget.sink,
                   rate_option(budget))});
  for (const BudgetBound& bound : budget.bounds) {
    BoundVerdict& without = verdict.bounds.emplace_back();
    without.bound = bound;
    without.invalid = verdict.invalid.front();
  }
  return verdict;
}

}  // namespace

VerdictOutcome BudgetVerdicts::outcome() const {
  std::vector<VerdictOutcome> outcomes;
  for (const BudgetVerdict& verdict : list) outcomes.push_back(verdict.outcome);
  return worst_of(outcomes);
}

BudgetVerdicts judge_budgets(const std::vector<Budget>& budgets,
                             const std::vector<BudgetSubject>& subjects) {
  BudgetVerdicts verdicts;
  for (const Budget& budget : budgets) {
    const std::size_t before = verdicts.list.size();
    for (const BudgetSubject& subject : subjects) {
      for (const StepSummary& step : subject.result->summary) {
        if (!budget.matches(*subject.result, step)) continue;
        verdicts.list.push_back(judge_step(budget, subject, step));
      }
    }
    if (verdicts.list.size() == before) verdicts.list.push_back(unmatched(budget, subjects));
  }
  return verdicts;
}

}  // namespace tailgate
