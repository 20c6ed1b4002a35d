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

namespace {

std::string settings_text(const std::vector<Setting>& settings) {
  std::vector<std::string> texts;
  for (const Setting& setting : settings) {
    texts.push_back(fmt::format("{}={}", setting.name, setting.value));
  }
  return fmt::format("{}", fmt::join(texts, ";"));
}

}  // namespace

bool is_closed_loop(const Trial& trial) {
  return trial.load.shape == Shape::max;
}

Cells leading_titles() {
  return {"run",      "started_utc", "machine",          "revision", "label",
          "scenario", "preset",      "scenario_options", "sink",     "sink_options",
          "step",     "trial",       "threads",          "payload",  "rate_hz"};
}

Cells leading_cells(const Result& result, const Trial& trial) {
  return {result.id,
          trial.started_utc,
          result.machine.fingerprint,
          result.build.revision + (result.build.dirty ? "+changes" : ""),
          result.label,
          result.scenario.name,
          result.scenario.preset,
          settings_text(result.scenario.options),
          result.sink.label,
          settings_text(result.sink.options),
          fmt::format("{}", trial.step),
          fmt::format("{}", trial.index),
          fmt::format("{}", trial.load.threads),
          trial.load.payload,
          is_closed_loop(trial) ? "" : fmt::format("{}", trial.load.rate_hz)};
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
