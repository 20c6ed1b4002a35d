// Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): an object for each
// benchmark with an object for each measure. A benchmark is a step of a result. The value is the
// median of the trials, the lower and upper value are the least and the greatest of them. Names of
// measures are slugs, which have no dots; their units end them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/report/benchmarks.h"
#include "harness/report/exporter.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

std::string slug(std::string_view kind, std::string_view quantile) {
  std::string text = fmt::format("{}-{}-ns", kind, quantile);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return text;
}

void add_measure(Json& measures, const std::string& name, const std::vector<double>& values) {
  if (values.empty()) return;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  measures[name] = {{"value", median(values)}, {"lower_value", *least}, {"upper_value", *greatest}};
}

// The figure of each trial that has it.
template <class Figure>
std::vector<double> values_of(const std::vector<const Trial*>& trials, Figure figure) {
  std::vector<double> values;
  for (const Trial* trial : trials) {
    if (const std::optional<double> value = figure(*trial)) values.push_back(*value);
  }
  return values;
}

Json measures_of(const std::vector<const Trial*>& trials) {
  Json measures = Json::object();
  for (const LatencyKind kind : kLatencyKinds) {
    for (const BenchmarkQuantile& quantile : kBenchmarkQuantiles) {
      const auto figure = [&](const Trial& trial) -> std::optional<double> {
        const Latency* latency = find_latency(trial, kind);
        if (latency == nullptr) return std::nullopt;
        return static_cast<double>(latency->*quantile.value_ns);
      };
      add_measure(measures, slug(enum_text(kind), quantile.name), values_of(trials, figure));
    }
  }
  add_measure(measures, "provider-cpu-ns", values_of(trials, provider_cpu_ns));
  add_measure(measures, "achieved-rate-hz", values_of(trials, [](const Trial& trial) {
                return std::optional(trial.achieved_rate_hz);
              }));
  add_measure(measures, "lost-events", values_of(trials, [](const Trial& trial) {
                return std::optional(static_cast<double>(trial.ledger.lost));
              }));
  return measures;
}

std::string render_bencher(const Result& result, const ExportOptions&) {
  Json benchmarks = Json::object();
  for (const auto& [name, trials] : benchmark_steps(result)) benchmarks[name] = measures_of(trials);
  return benchmarks.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

constinit const Exporter exporters::bencher = exporter_of<render_bencher, Form::json>(
    "bencher", "Bencher's JSON: a benchmark per step, a measure per figure", ".bencher.json");

}  // namespace tailgate
