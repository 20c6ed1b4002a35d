// Comma-separated values: one row per trial of all results.
#include <fmt/format.h>

#include "harness/report/csv_cells.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

// Those of the metrics that mean something for the trial.
const Latency* latency_of(const Trial& trial, LatencyKind kind) {
  if (kind == LatencyKind::start_lag && is_closed_loop(trial)) return nullptr;
  return find_latency(trial, kind);
}

Cells row_of(const Result& result, const Trial& trial) {
  const LedgerAccount& ledger = trial.ledger;
  Cells cells = leading_cells(result, trial);
  const auto add_if = [&](bool known, const auto& value) {
    cells.push_back(known ? fmt::format("{}", value) : "");
  };
  cells.emplace_back(enum_text(trial.outcome));
  add_if(trial.measured > 0, trial.achieved_rate_hz);
  add_if(trial.measured > 0 && !is_closed_loop(trial), trial.rate_missed);
  cells.push_back(fmt::format("{}", ledger.emitted));
  // The others are known only when the events were read back.
  add_if(ledger.checked, ledger.delivered);
  add_if(ledger.checked || result.sink.accounts_losses || ledger.lost > 0, ledger.lost);
  add_if(ledger.checked, ledger.unaccounted);
  add_if(ledger.checked, ledger.duplicates);
  add_if(ledger.checked, ledger.reordered);
  add_if(ledger.checked, ledger.corrupted);
  for (const LatencyKind kind : kLatencyKinds) add_figures(cells, latency_of(trial, kind));
  return cells;
}

std::string render_csv(const Results& results, const ExportOptions&) {
  Cells titles = leading_titles();
  for (const char* title : {"outcome", "achieved_rate_hz", "rate_missed", "emitted", "delivered",
                            "lost", "unaccounted", "duplicates", "reordered", "corrupted"}) {
    titles.emplace_back(title);
  }
  for (const LatencyKind kind : kLatencyKinds) add_titles(titles, enum_text(kind));
  std::string text = csv_line(titles);
  for (const auto& [name, result] : results) {
    for (const Trial& trial : result.trials) text += csv_line(row_of(result, trial));
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::csv = exporter_of<render_csv, Form::csv>(
    "csv", "one row per trial: rates, ledger, quantiles of every metric", ".csv");

}  // namespace tailgate
