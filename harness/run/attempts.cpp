#include "harness/run/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace tailgate {
namespace {

std::vector<Trial> take_step(std::vector<Trial>& trials, unsigned step) {
  const auto of_step = std::stable_partition(
      trials.begin(), trials.end(), [&](const Trial& trial) { return trial.step != step; });
  std::vector<Trial> taken(std::make_move_iterator(of_step), std::make_move_iterator(trials.end()));
  trials.erase(of_step, trials.end());
  return taken;
}

void append(std::vector<Trial>& all, std::vector<Trial> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// Nothing reads their intervals, and those are most of a trial's size.
void set_aside(Result& result, std::vector<Trial> trials) {
  for (Trial& trial : trials) trial.intervals.clear();
  if (!result.set_aside) result.set_aside.emplace();
  append(*result.set_aside, std::move(trials));
}

// A trial that did not complete, or whose events are not all accounted for. (The user's interrupt
// is no such thing.)
bool is_defect(const Trial& trial) {
  const bool ended =
      trial.outcome == TrialOutcome::completed || trial.outcome == TrialOutcome::interrupted;
  return !ended || trial.ledger.unaccounted != 0 || trial.ledger.unchecked();
}

bool has_defect(const std::vector<Trial>& trials) {
  return std::any_of(trials.begin(), trials.end(), is_defect);
}

}  // namespace

std::uint64_t StepAttempts::Attempt::lost() const {
  std::uint64_t lost = 0;
  for (const Trial& trial : trials) lost += trial.ledger.lost;
  return lost;
}

StepAttempts::Attempt StepAttempts::taken_from(Result& result, unsigned step) {
  Attempt attempt;
  attempt.trials = take_step(result.trials, step);
  attempt.controls = take_step(result.controls, step);
  attempt.traced = take_step(result.traced, step);
  for (const StepSummary& summary : result.summary) {
    if (summary.step == step) attempt.summary = summary;
  }
  return attempt;
}

bool StepAttempts::run_again(Result& result, unsigned step) {
  const StepSummary& summary = result.summary.back();
  const bool by_machine = summary.saturated && summary.saturated_by_machine.value_or(false);
  const bool defect =
      std::any_of(result.trials.begin(), result.trials.end(),
                  [&](const Trial& trial) { return trial.step == step && is_defect(trial); });
  if (!by_machine || defect || number() == kMostAttempts) return false;
  earlier_.push_back(taken_from(result, step));
  set_aside(result, earlier_.back().trials);
  return true;
}

bool StepAttempts::is_worse(const Attempt& a, const Attempt& b) {
  const auto rank = [](const Attempt& attempt) {
    const StepSummary& summary = attempt.summary;
    return std::tuple(has_defect(attempt.trials), attempt.all_ran, summary.trials > 0,
                      !summary.saturated, summary.achieved_rate_hz);
  };
  return rank(a) < rank(b);
}

void StepAttempts::end(Result& result, unsigned step, bool all_ran) {
  if (earlier_.empty()) return;
  const std::string by = takers();
  std::vector<Attempt> attempts = std::exchange(earlier_, {});
  Attempt last = taken_from(result, step);
  last.all_ran = all_ran;
  if (!last.trials.empty()) attempts.push_back(std::move(last));
  take_step(*result.set_aside, step);
  const auto best = std::max_element(attempts.begin(), attempts.end(), is_worse);
  const auto kept = static_cast<std::size_t>(best - attempts.begin());
  if (attempts.size() > 1) result.remarks.push_back(remark_on(attempts, kept, by));
  append(result.trials, std::move(best->trials));
  append(result.controls, std::move(best->controls));
  append(result.traced, std::move(best->traced));
  attempts.erase(best);
  for (Attempt& attempt : attempts) set_aside(result, std::move(attempt.trials));
  if (result.set_aside->empty()) result.set_aside.reset();
}

std::string StepAttempts::takers() const {
  std::vector<const Neighbours*> neighbours;
  for (const Attempt& attempt : earlier_) {
    for (const Trial& trial : attempt.trials) {
      if (trial.neighbours) neighbours.push_back(&*trial.neighbours);
    }
  }
  return takers_of(neighbours);
}

Remark StepAttempts::remark_on(const std::vector<Attempt>& attempts, std::size_t kept,
                               const std::string& takers) {
  const StepSummary& summary = attempts[kept].summary;
  std::uint64_t lost = 0;
  for (const Attempt& attempt : attempts) lost += &attempt == &attempts[kept] ? 0 : attempt.lost();
  std::string what =
      fmt::format("at {:.6g} events/s it ran {} times, since {} took the load's processor; ",
                  summary.rate_hz, attempts.size(), takers);
  if (lost > 0) what += fmt::format("the attempts that are set aside lost {} events; ", lost);
  what += fmt::format("attempt {} is kept: ", kept + 1);
  if (has_defect(attempts[kept].trials)) {
    return {what + "not all of its trials went well", "see the remarks on its trials"};
  }
  if (!summary.saturated) {
    return {what + "it held the rate",
            "end other programs, and the first attempt will do; the others are in set_aside"};
  }
  what +=
      fmt::format("it came nearest to the rate, with {:.6g} events/s", summary.achieved_rate_hz);
  if (summary.saturated_by_machine.value_or(false)) {
    return {what + "; the machine's fault, not the sink's",
            "end other programs, or bind the load to other processors with --load-cpus, and run "
            "again"};
  }
  return {std::move(what), "lower the rates, if the machine was free in that attempt"};
}

}  // namespace tailgate
