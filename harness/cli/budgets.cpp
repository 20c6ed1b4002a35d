#include "harness/cli/budgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/cli/known_names.h"
#include "harness/gate/gate.h"
#include "harness/trial/collector.h"

namespace tailgate {
namespace {

// The result that the run will have, as far as a budget can choose by it: with a step for each rate
// that is reached if every rate before it is held.
Result outline_of(const RunRequest& request) {
  Result result;
  result.scenario.name = request.scenario->name();
  result.scenario.preset = request.preset;
  result.sink.name = request.sink.type->name();
  result.sink.label = request.sink.text;
  std::vector<StepOutcome> before;
  while (before.size() < request.scenario->max_steps(request.options)) {
    const std::optional<LoadPlan> plan = request.scenario->next_step(request.options, before);
    if (!plan) break;
    before.push_back({.load = *plan});
    result.summary.emplace_back().rate_hz = describe_load(*plan).rate_hz;
  }
  return result;
}

bool is_for(const Budget& budget, const Result& result) {
  return std::any_of(result.summary.begin(), result.summary.end(),
                     [&](const StepSummary& step) { return budget.matches(result, step); });
}

// "steady@file@20k, steady@null@20k and 3 more".
std::string steps_text(const std::vector<Result>& results) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> steps;
  for (const Result& result : results) {
    for (const StepSummary& step : result.summary) {
      Budget one;
      one.scenario = result.scenario.name;
      one.sink = result.sink.label;
      one.rate_hz = step.rate_hz;
      steps.push_back(one.subject());
    }
  }
  const std::size_t more = steps.size() > kMostNamed ? steps.size() - kMostNamed : 0;
  steps.resize(steps.size() - more);
  return fmt::format("{}{}", fmt::join(steps, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

void check_budgets(const SinkCatalog& sinks, const std::vector<Budget>& budgets,
                   const std::vector<RunRequest>& requests) {
  std::vector<Result> outlines;
  for (const RunRequest& request : requests) outlines.push_back(outline_of(request));
  for (const Budget& budget : budgets) {
    const bool judges = std::any_of(outlines.begin(), outlines.end(),
                                    [&](const Result& one) { return is_for(budget, one); });
    if (judges) continue;
    const bool runs = std::any_of(outlines.begin(), outlines.end(), [&](const Result& one) {
      return budget.sink == one.sink.label || budget.sink == one.sink.name;
    });
    if (!runs) check_sink_name(sinks, budget.sink);
    throw Error(fmt::format("the budget of {} plays no part in this run of {}", budget.subject(),
                            steps_text(outlines)),
                "run what it is for, or leave it out");
  }
}

void add_budget_options(Command& command, BudgetArguments& arguments) {
  command.add_option("--budget", arguments.texts, "'file@20k: p99 < 50us, lost = 0'; repeatable")
      ->one_value_each_time()
      ->type_name("BUDGET");
  command.add_option("--budgets", arguments.file, "a TOML file of budgets")->type_name("FILE");
}

std::vector<Budget> read_budgets(const BudgetArguments& arguments) {
  return as_usage([&] {
    std::vector<Budget> budgets;
    if (!arguments.file.empty()) budgets = load_budgets(arguments.file);
    for (const std::string& text : arguments.texts) budgets.push_back(parse_budget(text));
    return budgets;
  });
}

std::vector<ExitCode> budget_exit_codes() {
  const auto code = [](VerdictOutcome outcome, const char* detail) {
    return ExitCode{verdict_exit_code(outcome), std::string(enum_text(outcome)), detail};
  };
  return {code(VerdictOutcome::pass, "every bound of every budget is kept"),
          code(VerdictOutcome::fail, "a bound is broken, and nothing else"),
          {kExitUsage, "usage", "the command line or a budget is wrong"},
          code(VerdictOutcome::inconclusive, "more trials would decide"),
          code(VerdictOutcome::invalid, "the trials may not be judged, or nothing was measured"),
          {kExitInterrupted, "interrupted", ""}};
}

}  // namespace tailgate
