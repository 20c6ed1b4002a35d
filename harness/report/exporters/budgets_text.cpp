// Verdicts on budgets as text for a terminal of 80 columns: the outcome, the reasons of all that
// did not pass, the worst first, then a table for each path.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/report/budget_text.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/report/verdict_title.h"

namespace tailgate {
namespace {

struct Shown {
  const BudgetVerdict* budget;
  const BoundVerdict* bound;
};

std::vector<Shown> bounds_of(const BudgetVerdicts& verdicts, VerdictOutcome outcome) {
  std::vector<Shown> found;
  for (const BudgetVerdict& budget : verdicts.list) {
    for (const BoundVerdict& bound : budget.bounds) {
      if (bound.outcome == outcome) found.push_back({&budget, &bound});
    }
  }
  return found;
}

std::string heading(const BudgetVerdicts& verdicts, const Painter& painter) {
  const VerdictOutcome outcome = verdicts.outcome();
  std::size_t all = 0;
  std::string counts;
  for (const VerdictOutcome kind : {VerdictOutcome::fail, VerdictOutcome::invalid,
                                    VerdictOutcome::inconclusive, VerdictOutcome::pass}) {
    const std::size_t count = bounds_of(verdicts, kind).size();
    all += count;
    if (count == 0) continue;
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, enum_text(kind));
  }
  const std::string text = fmt::format("{}  {} {}: {}", upper_case(enum_text(outcome)), all,
                                       all == 1 ? "bound" : "bounds", counts);
  return painter.bold(painted_outcome(text, outcome, painter)) + "\n";
}

// Of an invalid path its own reasons stand for all of its bounds.
std::string reasons(const BudgetVerdicts& verdicts, VerdictOutcome outcome,
                    const Painter& painter) {
  std::string text;
  const BudgetVerdict* said = nullptr;
  for (const auto& [budget, bound] : bounds_of(verdicts, outcome)) {
    const bool of_path = outcome == VerdictOutcome::invalid && !budget->invalid.empty();
    if (!of_path) {
      const Remark reason = bound_reason(*budget, *bound);
      text += note(fmt::format("{}, {}: {}", budget_title(*budget), bound->bound.text, reason.what),
                   reason.remedy, painter);
      continue;
    }
    if (said == budget) continue;
    said = budget;
    for (const Remark& reason : budget->invalid) {
      const std::string path = budget->file.empty() ? "" : budget_title(*budget) + ": ";
      text += note(path + reason.what, reason.remedy, painter);
    }
  }
  return text;
}

std::string row(const BoundVerdict& verdict, const Painter& painter) {
  const std::string value = verdict.value ? bound_value_text(verdict, *verdict.value) : "-";
  const std::string word(enum_text(verdict.outcome));
  return fmt::format("  {:<28}{:>9}  {:<24}", first_columns(verdict.bound.text, 27), value,
                     bound_interval_text(verdict)) +
         painted_outcome(verdict.outcome == VerdictOutcome::fail ? "FAIL" : word, verdict.outcome,
                         painter) +
         "\n";
}

std::string table(const BudgetVerdict& budget, const Painter& painter) {
  std::string head = budget_title(budget);
  if (!budget.file.empty()) {
    head += fmt::format(", {} {}", budget.trials, budget.trials == 1 ? "trial" : "trials");
  }
  std::string text = "\n";
  for (const std::string& line : wrapped(head, kColumns, 2)) text += painter.bold(line) + "\n";
  // A path stays whole, to be copied.
  if (!budget.file.empty()) text += "  " + budget.file + "\n";
  text += fmt::format("  {:<28}{:>9}  {:<24}{}\n", "bound", "measured", "95 % interval", "verdict");
  for (const BoundVerdict& bound : budget.bounds) text += row(bound, painter);
  for (const Remark& remark : budget.remarks) text += note(remark.what, remark.remedy, painter);
  return text;
}

std::string render_budgets_text(const BudgetVerdicts& verdicts, const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text = heading(verdicts, painter);
  for (const VerdictOutcome outcome :
       {VerdictOutcome::fail, VerdictOutcome::invalid, VerdictOutcome::inconclusive}) {
    text += reasons(verdicts, outcome, painter);
  }
  for (const BudgetVerdict& budget : verdicts.list) text += table(budget, painter);
  return text;
}

}  // namespace

constinit const Exporter exporters::budgets_text =
    exporter_of<render_budgets_text, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
