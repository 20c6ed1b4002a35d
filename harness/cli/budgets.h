// Budgets on the command line: what `tailgate budget` and `tailgate run` share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/gate/judge_budget.h"
#include "harness/run/runner.h"
#include "harness/sink/catalog.h"

namespace tailgate {

struct BudgetArguments {
  std::vector<std::string> texts;
  std::filesystem::path file;

  bool given() const { return !texts.empty() || !file.empty(); }
};

// Adds --budget and --budgets, which fill `arguments`.
void add_budget_options(Command& command, BudgetArguments& arguments);

// Those of the file first. Throws UsageError.
std::vector<Budget> read_budgets(const BudgetArguments& arguments);

// Throws Error for a budget by which none of these runs could be judged: of another sink, scenario
// or rate.
void check_budgets(const SinkCatalog& sinks, const std::vector<Budget>& budgets,
                   const std::vector<RunRequest>& requests);

// What the exit codes of a verdict on budgets mean.
std::vector<ExitCode> budget_exit_codes();

}  // namespace tailgate
