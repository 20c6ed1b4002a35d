// Comma-separated values: one row per interval of all results.
#include <fmt/format.h>

#include "harness/report/csv_cells.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

std::string render_intervals(const Results& results, const ExportOptions&) {
  Cells titles = leading_titles();
  titles.emplace_back("start_ns");
  titles.emplace_back("end_ns");
  add_titles(titles, "service");
  add_titles(titles, "response");
  std::string text = csv_line(titles);
  for (const auto& [name, result] : results) {
    for (const Trial& trial : result.trials) {
      for (const Interval& interval : trial.intervals) {
        Cells cells = leading_cells(result, trial);
        cells.push_back(fmt::format("{}", interval.start_ns));
        cells.push_back(fmt::format("{}", interval.end_ns));
        add_figures(cells, &interval.service);
        add_figures(cells, &interval.response);
        text += csv_line(cells);
      }
    }
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::csv_intervals = exporter_of<render_intervals, Form::csv>(
    "csv-intervals", "one row per interval: quantiles of service and response", ".intervals.csv");

}  // namespace tailgate
