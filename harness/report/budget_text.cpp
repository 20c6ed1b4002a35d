#include "harness/report/budget_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/human.h"

namespace tailgate {
namespace {

std::string measured_text(const BudgetVerdict& budget, const BoundVerdict& verdict) {
  const std::string value = bound_value_text(verdict, *verdict.value);
  switch (verdict.method) {
    case BoundMethod::counted:
      return fmt::format("{} was {} in the worst trial of {}", verdict.bound.quantity->name, value,
                         budget.trials);
    case BoundMethod::single:
      return fmt::format("{} was {} in the only trial", verdict.bound.quantity->name, value);
    case BoundMethod::mean:
    case BoundMethod::median:
    case BoundMethod::none:
      break;
  }
  return fmt::format("{} is {} (95 %: {}, {} of {} trials)", verdict.bound.quantity->name, value,
                     bound_interval_text(verdict), enum_text(verdict.method), budget.trials);
}

Remark inconclusive_reason(const BudgetVerdict& budget, const BoundVerdict& verdict) {
  const std::string measured = measured_text(budget, verdict);
  if (verdict.method == BoundMethod::single) {
    return {measured + ", and one trial alone has no interval", "run more trials: --trials 5"};
  }
  if (!verdict.trials_needed) {
    return {measured + ", and the bound lies within",
            "more trials are unlikely to decide it: it is at the bound"};
  }
  return {measured + ", and the bound lies within",
          fmt::format("run more trials: about {} would decide it, --trials {}",
                      *verdict.trials_needed, *verdict.trials_needed)};
}

}  // namespace

std::string budget_title(const BudgetVerdict& verdict) {
  if (verdict.file.empty()) return verdict.budget;
  const std::string rate = verdict.rate_hz > 0
                               ? fmt::format(" at {}/s", human_rate(verdict.rate_hz))
                               : std::string(" at the highest rate");
  return fmt::format("{}{}, {}", verdict.sink, rate, verdict.scenario);
}

std::string bound_value_text(const BoundVerdict& verdict, double value) {
  switch (verdict.bound.quantity->kind) {
    case BoundKind::quantile:
    case BoundKind::cpu:
      return human_duration(value);
    case BoundKind::lost:
      if (!verdict.bound.is_share) return fmt::format("{:.0f}", value);
      return fmt::format("{:.3g}%", 100 * value);
    case BoundKind::rate:
      return human_rate(std::max(0.0, value)) + "/s";
    case BoundKind::rss:
      break;
  }
  return (value < 0 ? "-" : "") + human_rate(std::abs(value)) + "B";
}

std::string bound_interval_text(const BoundVerdict& verdict) {
  if (verdict.method == BoundMethod::counted) return "counted";
  if (!verdict.low || !verdict.high) return "";
  return fmt::format("{} .. {}", bound_value_text(verdict, *verdict.low),
                     bound_value_text(verdict, *verdict.high));
}

Remark bound_reason(const BudgetVerdict& budget, const BoundVerdict& verdict) {
  switch (verdict.outcome) {
    case VerdictOutcome::invalid:
      return verdict.invalid;
    case VerdictOutcome::inconclusive:
      return inconclusive_reason(budget, verdict);
    case VerdictOutcome::fail:
      return {measured_text(budget, verdict),
              verdict.bound.quantity->kind == BoundKind::quantile
                  ? "find what is slow ('tailgate run --explain'), or change the budget"
                  : "find the cause ('tailgate show --details'), or change the budget"};
    case VerdictOutcome::pass:
      break;
  }
  return {measured_text(budget, verdict), ""};
}

}  // namespace tailgate
