// Comma-separated values: one row per trial.
#include <fmt/format.h>

#include "harness/report/csv_cells.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

Cells row_of(const Result& result, const Trial& trial) {
  const LedgerAccount& ledger = trial.ledger;
  Cells cells = leading_cells(result, trial);
  cells.emplace_back(enum_text(trial.outcome));
  cells.push_back(fmt::format("{}", trial.achieved_rate_hz));
  cells.push_back(trial.rate_missed ? "true" : "false");
  cells.push_back(fmt::format("{}", ledger.emitted));
  // These are known only when the events were read back.
  const auto if_checked = [&](auto count) {
    cells.push_back(ledger.checked ? fmt::format("{}", count) : "");
  };
  if_checked(ledger.delivered);
  cells.push_back(fmt::format("{}", ledger.lost));
  if_checked(ledger.unaccounted);
  if_checked(ledger.duplicates);
  if_checked(ledger.reordered);
  if_checked(ledger.corrupted);
  for (const LatencyKind kind : kLatencyKinds) add_figures(cells, find_latency(trial, kind));
  return cells;
}

std::string render_csv(const Result& result, const ExportOptions&) {
  Cells titles = leading_titles();
  for (const char* title : {"outcome", "achieved_rate_hz", "rate_missed", "emitted", "delivered",
                            "lost", "unaccounted", "duplicates", "reordered", "corrupted"}) {
    titles.emplace_back(title);
  }
  for (const LatencyKind kind : kLatencyKinds) add_titles(titles, enum_text(kind));
  std::string text = csv_line(titles);
  for (const Trial& trial : result.trials) text += csv_line(row_of(result, trial));
  return text;
}

}  // namespace

constinit const Exporter exporters::csv = exporter_of<render_csv, Form::csv>(
    "csv", "one row per trial: rates, ledger, quantiles of every metric", ".csv");

}  // namespace tailgate
