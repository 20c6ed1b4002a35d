// tailgate budget: are the figures of results within the user's bounds?
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>

#include "harness/cli/budgets.h"
#include "harness/cli/commands.h"
#include "harness/cli/known_names.h"
#include "harness/cli/readable_results.h"
#include "harness/cli/terminal.h"
#include "harness/gate/gate.h"
#include "harness/os/atomic_file.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

struct BudgetRequest {
  std::vector<std::filesystem::path> paths;
  BudgetArguments budgets;
  std::map<std::string, std::filesystem::path> files;  // by format
};

// A sink that no result has must at least be one: what is not measured yet is another matter.
void check_sinks(const SinkCatalog& sinks, const std::vector<Budget>& budgets,
                 const Results& results) {
  for (const Budget& budget : budgets) {
    const bool measured = std::any_of(results.begin(), results.end(), [&](const auto& named) {
      return budget.sink == named.result.sink.label || budget.sink == named.result.sink.name;
    });
    if (!measured) as_usage([&] { check_sink_name(sinks, budget.sink); });
  }
}

int judge_files(const SinkCatalog& sinks, const BudgetRequest& request) {
  if (!request.budgets.given()) {
    throw UsageError(Error("there is no budget",
                           "give one, --budget 'file@20k: p99 < 50us, lost = 0', or --budgets "
                           "FILE"));
  }
  const std::vector<Budget> budgets = read_budgets(request.budgets);
  const ReadableResults read = read_results(request.paths);
  check_sinks(sinks, budgets, read.results);
  std::vector<BudgetSubject> subjects;
  for (const NamedResult& named : read.results) subjects.push_back({named.name, &named.result});
  const BudgetVerdicts verdicts = judge_budgets(budgets, subjects);
  std::cout << render(verdicts, "text", {.colour = colour_wanted(stdout)});
  for (const auto& [format, file] : request.files) {
    if (!file.empty()) write_file_atomically(file, render(verdicts, format));
  }
  // A file that could not be read keeps the verdict from being a pass.
  const VerdictOutcome outcome = verdicts.outcome();
  const bool invalid = !read.all() && outcome != VerdictOutcome::fail;
  return verdict_exit_code(invalid ? VerdictOutcome::invalid : outcome);
}

}  // namespace

void commands::add_budget_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("budget", "Judge results: is p99 below your bound?");
  const auto request = std::make_shared<BudgetRequest>();
  command->add_option("paths", request->paths, "Files of runs, and folders of them")
      ->required()
      ->type_name("FILE|DIR");
  add_budget_options(*command, request->budgets);
  for (const Exporter* exporter : exporters_of(DocumentKind::budgets)) {
    const std::string format(exporter->format);
    command
        ->add_option("--" + format, request->files[format],
                     fmt::format("Also write {}", exporter->help))
        ->type_name("FILE");
  }
  command->footer(
      "Exit codes: " + brief_list(budget_exit_codes()) +
      ".\n"
      "\n"
      "A budget is [SCENARIO@]SINK[@RATE]: BOUND, BOUND ... The sink is named as it was\n"
      "given, or by its name alone, the scenario also by its preset. Bounds:\n"
      "\n"
      "  p50 p90 p99 p99.9 max       response time, < or <= 50us (ns, us, ms, s)\n"
      "  service p50 ... service max from the call's start instead of when it was due\n"
      "  lost                        lost = 0, lost <= 10, lost < 0.1%: in each trial\n"
      "  cpu                         < 2us: processor time of logging an event\n"
      "  rate                        >= 20k: achieved; 99 % of it is enough\n"
      "  rss                         < 64MiB: memory of logging\n"
      "\n"
      "A trial is one observation. A bound passes if the whole 95 % interval over the\n"
      "trials is within it, fails if it is wholly outside, and is inconclusive else.\n"
      "Lost events are counted exactly, so one fails 'lost = 0'. Trials on a busy\n"
      "machine, failed trials, unaccounted events and quantiles of too few calls make\n"
      "a bound invalid. results/README.md says more.\n"
      "\n"
      "Examples:\n"
      "  tailgate budget out/today --budget 'file@20k: p99 < 50us, lost = 0'\n"
      "  tailgate budget out/today --budget 'steady@file:mode=mmap: p99.9 <= 1ms'\n"
      "  tailgate budget out/today --budgets budget.toml --junit budget.xml");
  command->exit_codes(budget_exit_codes());
  command->callback([request, &catalog, &action] {
    action = Action([request, &catalog] { return judge_files(catalog.sinks, *request); }, true);
  });
}

}  // namespace tailgate
