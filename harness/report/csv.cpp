// Comma-separated values (RFC 4180, but lines end in a line feed): one row a trial, or one row an
// interval. Cells of what was not measured are empty.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/report/exporter.h"

namespace tailgate {
namespace {

using Cells = std::vector<std::string>;

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

void write_row(std::ostream& out, const Cells& cells) {
  Cells row;
  for (const std::string& cell : cells) row.push_back(quoted(cell));
  out << fmt::format("{}\n", fmt::join(row, ","));
}

void add_titles(Cells& cells, std::string_view metric) {
  cells.push_back(fmt::format("{}_count", metric));
  for (const char* figure : {"min", "mean", "p50", "p90", "p99", "p99_9", "p99_99", "max"}) {
    cells.push_back(fmt::format("{}_ns_{}", metric, figure));
  }
  cells.push_back(fmt::format("{}_overflow", metric));
}

void add_figures(Cells& cells, const Latency* latency) {
  constexpr std::size_t kFigures = 10;
  if (latency == nullptr || latency->count == 0) {
    cells.push_back(latency == nullptr ? "" : "0");
    cells.resize(cells.size() + kFigures - 1);
    return;
  }
  cells.push_back(fmt::format("{}", latency->count));
  cells.push_back(fmt::format("{}", latency->min_ns));
  cells.push_back(fmt::format("{}", latency->mean_ns));
  for (const std::uint64_t figure : {latency->p50_ns, latency->p90_ns, latency->p99_ns,
                                     latency->p99_9_ns, latency->p99_99_ns, latency->max_ns}) {
    cells.push_back(fmt::format("{}", figure));
  }
  cells.push_back(fmt::format("{}", latency->overflow));
}

Cells leading_titles() {
  return {"scenario", "preset", "sink", "step", "trial", "rate_hz"};
}

Cells leading_cells(const Result& result, const Trial& trial) {
  return {result.scenario.name,
          result.scenario.preset,
          result.sink.label,
          fmt::format("{}", trial.step),
          fmt::format("{}", trial.index),
          fmt::format("{}", trial.load.rate_hz)};
}

class CsvExporter : public Exporter {
 public:
  std::string name() const override { return "csv"; }
  std::string description() const override {
    return "one row a trial: rates, ledger, quantiles of every metric";
  }
  std::string extension() const override { return ".csv"; }

  void write(const Result& result, const ExportOptions&, std::ostream& out) const override {
    Cells titles = leading_titles();
    for (const char* title : {"outcome", "achieved_rate_hz", "rate_missed", "emitted", "delivered",
                              "lost", "unaccounted", "duplicates", "reordered", "corrupted"}) {
      titles.emplace_back(title);
    }
    for (const LatencyKind kind : kLatencyKinds) add_titles(titles, latency_kind_name(kind));
    write_row(out, titles);
    for (const Trial& trial : result.trials) write_row(out, row(result, trial));
  }

 private:
  static Cells row(const Result& result, const Trial& trial) {
    const LedgerAccount& ledger = trial.ledger;
    Cells cells = leading_cells(result, trial);
    cells.push_back(trial.outcome);
    cells.push_back(fmt::format("{}", trial.achieved_rate_hz));
    cells.push_back(trial.rate_missed ? "true" : "false");
    cells.push_back(fmt::format("{}", ledger.emitted));
    // Without reading back these have no meaning.
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
};

class CsvIntervalsExporter : public Exporter {
 public:
  std::string name() const override { return "csv-intervals"; }
  std::string description() const override {
    return "one row an interval: quantiles of service and response";
  }
  std::string extension() const override { return ".intervals.csv"; }

  void write(const Result& result, const ExportOptions&, std::ostream& out) const override {
    Cells titles = leading_titles();
    titles.emplace_back("start_ns");
    titles.emplace_back("end_ns");
    add_titles(titles, "service");
    add_titles(titles, "response");
    write_row(out, titles);
    for (const Trial& trial : result.trials) {
      for (const Interval& interval : trial.intervals) {
        Cells cells = leading_cells(result, trial);
        cells.push_back(fmt::format("{}", interval.start_ns));
        cells.push_back(fmt::format("{}", interval.end_ns));
        add_figures(cells, &interval.service);
        add_figures(cells, &interval.response);
        write_row(out, cells);
      }
    }
  }
};

}  // namespace

const Exporter& csv_exporter() {
  static const CsvExporter exporter;
  return exporter;
}

const Exporter& csv_intervals_exporter() {
  static const CsvIntervalsExporter exporter;
  return exporter;
}

}  // namespace tailgate
