// Sentences about verdicts on budgets, which their exporters share.
#pragma once

#include <string>

#include "harness/gate/judge_budget.h"

namespace tailgate {

// "file at 20k/s, steady"; of a budget that no result is for, the budget's subject.
std::string budget_title(const BudgetVerdict& verdict);

// A value of the bound's quantity with its unit: "61.20us", "3", "0.02%", "20k/s", "12.5MB".
std::string bound_value_text(const BoundVerdict& verdict, double value);

// "58.10us .. 64.00us", "counted", or "".
std::string bound_interval_text(const BoundVerdict& verdict);

// Why the bound's verdict is what it is, and what to do; the remedy of a pass is empty.
Remark bound_reason(const BudgetVerdict& budget, const BoundVerdict& verdict);

}  // namespace tailgate
