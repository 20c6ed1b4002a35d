// Budgets: what a logging path may cost, as its users state it.
//
//   file@20k: p99 < 50us, lost = 0
//   steady@file:mode=mmap@20k: service p99.9 <= 30us, cpu < 2us, rate >= 20k
//
// In front of the colon: the sink, as it was given or by its name alone; before it a scenario or
// preset with '@', behind it a rate with '@', where the budget is for that alone. A file of
// budgets:
//
//   [[budget]]
//   sink = "file"
//   scenario = "steady"
//   rate = "20k"
//   bounds = ["p99 < 50us", "lost = 0"]
//
// judge_budget.h judges them on results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_text.h"
#include "harness/result/result.h"

namespace tailgate {

enum class BoundRelation { below, at_most, exactly, at_least, above };
template <>
inline constexpr auto kEnumTexts<BoundRelation> =
    enum_texts<BoundRelation>({{BoundRelation::below, "<"},
                               {BoundRelation::at_most, "<="},
                               {BoundRelation::exactly, "="},
                               {BoundRelation::at_least, ">="},
                               {BoundRelation::above, ">"}});

bool relation_holds(BoundRelation relation, double value, double limit);

// What a bound is on.
enum class BoundKind {
  quantile,  // of the response or service time; the longest, too
  lost,      // events, or their share
  cpu,       // processor time that logging an event costs the machine
  rate,      // achieved
  rss,       // memory in RAM of provider and daemons
};

// A figure that a budget can bound.
struct BudgetQuantity {
  std::string_view name;  // "p99", "service p99.9", "lost"
  BoundKind kind = BoundKind::quantile;
  // Of a quantile: where it is, and which share of the calls takes longer (0 of the longest call).
  Latency Trial::*times = nullptr;
  std::uint64_t Latency::*time_ns = nullptr;
  double tail_share = 0;
};

struct BudgetBound {
  const BudgetQuantity* quantity = nullptr;  // of a table that lives as long as the program
  BoundRelation relation = BoundRelation::below;
  // In ns, events, events per second or bytes; is_share: lost events by emitted events, 0 to 1.
  double limit = 0;
  bool is_share = false;
  std::string text;  // "p99 < 50us"

  bool holds(double value) const;
};

struct Budget {
  std::string scenario;           // or preset; empty: any
  std::string sink;               // its label or its name
  std::optional<double> rate_hz;  // 0: as fast as it can; absent: any
  std::vector<BudgetBound> bounds;

  // "steady@file@20k", without the bounds.
  std::string subject() const;
  bool matches(const Result& result, const StepSummary& step) const;
};

// Throws Error that quotes what is wrong and shows the right form.
Budget parse_budget(std::string_view text);

// A file of budgets from its text; origin stands for its name. Throws Error with "ORIGIN:LINE: " in
// front for anything that is not TOML or does not fit.
std::vector<Budget> parse_budgets(std::string_view text, const std::string& origin);
std::vector<Budget> load_budgets(const std::filesystem::path& file);

// For both of the above. Throw Error.
BudgetBound parse_bound(std::string_view text);
double parse_budget_rate(std::string_view text);
// Throws Error if two of them bound the same, or there are none.
void check_bounds(const std::vector<BudgetBound>& bounds);

}  // namespace tailgate
