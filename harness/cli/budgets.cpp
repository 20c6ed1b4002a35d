#include "harness/cli/budgets.h"

#include "harness/cli/commands.h"
#include "harness/gate/gate.h"

namespace tailgate {

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
