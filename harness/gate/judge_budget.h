// Verdicts on budgets. A trial is one observation: calls of one trial are not independent, so a
// bound is compared with an interval over the trials. results/README.md explains the verdicts to
// whoever uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/budget.h"
#include "harness/result/result.h"
#include "harness/result/values.h"

namespace tailgate {

// A quantile needs so many calls beyond it in each trial to be judged or trusted.
inline constexpr double kLeastBeyond = 10;

// How a bound's value was obtained from the trials.
enum class BoundMethod {
  none,     // there is no value
  mean,     // and its interval by Student's t
  median,   // and its interval by order statistics
  counted,  // exactly, in the worst trial
  single,   // the value of the only trial
};
template <>
inline constexpr auto kEnumTexts<BoundMethod> =
    enum_texts<BoundMethod>({{BoundMethod::none, "none"},
                             {BoundMethod::mean, "mean"},
                             {BoundMethod::median, "median"},
                             {BoundMethod::counted, "counted"},
                             {BoundMethod::single, "single"}});

struct BoundVerdict {
  BudgetBound bound;
  VerdictOutcome outcome = VerdictOutcome::invalid;
  BoundMethod method = BoundMethod::none;
  std::optional<double> value;  // in the unit of the bound's limit
  std::optional<double> low;    // of its 95 % interval
  std::optional<double> high;
  std::optional<std::size_t> trials_needed;  // estimated; of an inconclusive one
  Remark invalid;                            // why it is invalid; else empty
};

// The verdict on one budget for one step of one result, or on a budget that no result is for.
struct BudgetVerdict {
  std::string budget;  // Budget::subject()
  std::string file;    // empty: no result
  std::string sink;    // its label
  std::string scenario;
  double rate_hz = 0;
  std::size_t trials = 0;  // completed
  VerdictOutcome outcome = VerdictOutcome::invalid;
  std::vector<Remark> invalid;  // why the trials may not be judged
  std::vector<Remark> remarks;  // what the verdict could not take into account
  std::vector<BoundVerdict> bounds;
};

struct BudgetVerdicts {
  std::vector<BudgetVerdict> list;

  VerdictOutcome outcome() const;  // the worst, as verdict_exit_code() orders them
};

struct BudgetSubject {
  std::string file;
  const Result* result;
};

// The verdict on each budget for each step that it matches, in the order of the budgets.
BudgetVerdicts judge_budgets(const std::vector<Budget>& budgets,
                             const std::vector<BudgetSubject>& subjects);

}  // namespace tailgate
