// Any bytes, as a budget and as a file of budgets, end in budgets that can be judged or in an
// Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "harness/base/error.h"
#include "harness/gate/budget.h"

namespace {

using namespace tailgate;

void check(const Budget& budget) {
  if (budget.sink.empty() || budget.bounds.empty()) std::abort();
  if (budget.rate_hz && !(*budget.rate_hz >= 0 && std::isfinite(*budget.rate_hz))) std::abort();
  for (const BudgetBound& bound : budget.bounds) {
    if (!(bound.limit >= 0) || !std::isfinite(bound.limit)) std::abort();
    // What is shown of a bound means the same.
    const BudgetBound again = parse_bound(bound.text);
    if (again.limit != bound.limit || again.quantity != bound.quantity ||
        again.relation != bound.relation || again.text != bound.text) {
      std::abort();
    }
    static_cast<void>(bound.holds(bound.limit));
  }
  Result result;
  result.sink.label = budget.sink;
  result.scenario.preset = budget.scenario;
  StepSummary step;
  step.rate_hz = budget.rate_hz.value_or(1);
  if (!budget.matches(result, step) || budget.subject().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(parse_budget(text));
  } catch (const Error&) {
    // Refused: what the reader is there for.
  }
  try {
    for (const Budget& budget : parse_budgets(text, "input")) check(budget);
  } catch (const Error&) {
    // Likewise.
  }
  return 0;
}
