#include "harness/report/csv_cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/quoting.h"

namespace tailgate {

std::string csv_line(const Cells& cells) {
  Cells row;
  for (const std::string& cell : cells) row.push_back(csv_cell(cell));
  return fmt::format("{}\n", fmt::join(row, ","));
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

}  // namespace tailgate
