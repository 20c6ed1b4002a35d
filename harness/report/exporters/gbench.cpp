// The JSON of Google Benchmark 1.7, for its compare.py and other tools that read it. A benchmark is
// one quantile of one metric of one step, a repetition is a trial, and the aggregates (mean,
// median, stddev, cv) run over the completed trials. Times are in nanoseconds. cpu_time is the
// provider's processor time per call, without that in which it waited for the next call's time;
// where it was not measured, it is absent.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <span>

#include "harness/base/error.h"
#include "harness/report/benchmarks.h"
#include "harness/report/exporter.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Standard deviation of a sample (divided by n - 1), as Google Benchmark computes it.
double stddev(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// All trials of one benchmark.
struct Family {
  std::string name;
  std::size_t index;
  std::vector<const Trial*> trials;
  LatencyKind kind;
  BenchmarkQuantile quantile;
};

Json leading_fields(const Family& family, const std::string& name, const char* run_type) {
  return {{"name", name},
          {"family_index", family.index},
          {"per_family_instance_index", 0},
          {"run_name", family.name},
          {"run_type", run_type},
          {"repetitions", family.trials.size()}};
}

void add_times(Json& entry, double real_ns, const std::optional<double>& cpu_ns) {
  entry["real_time"] = real_ns;
  if (cpu_ns) entry["cpu_time"] = *cpu_ns;
  entry["time_unit"] = "ns";
}

double coefficient_of_variation(std::span<const double> values) {
  const double center = mean(values);
  return center > 0 ? stddev(values) / center : 0;
}

// cpu_ns: of the trials that measured it, which may be none.
void add_aggregate(Json& entries, const Family& family, const char* aggregate,
                   double (*compute)(std::span<const double>), const std::vector<double>& real_ns,
                   const std::vector<double>& cpu_ns) {
  Json entry = leading_fields(family, family.name + "_" + aggregate, "aggregate");
  entry["threads"] = family.trials.front()->load.threads;
  entry["aggregate_name"] = aggregate;
  entry["aggregate_unit"] = std::string_view(aggregate) == "cv" ? "percentage" : "time";
  entry["iterations"] = family.trials.size();
  add_times(entry, compute(real_ns),
            cpu_ns.empty() ? std::nullopt : std::optional(compute(cpu_ns)));
  entries.push_back(std::move(entry));
}

void add_family(Json& entries, const Family& family) {
  std::vector<double> values;
  std::vector<double> cpu_values;
  for (const Trial* trial : family.trials) {
    const Latency& latency = *find_latency(*trial, family.kind);
    Json entry = leading_fields(family, family.name, "iteration");
    entry["repetition_index"] = values.size();
    entry["threads"] = trial->load.threads;
    entry["iterations"] = latency.count;
    values.push_back(static_cast<double>(latency.*family.quantile.value_ns));
    const std::optional<double> cpu_ns = provider_cpu_ns(*trial);
    if (cpu_ns) cpu_values.push_back(*cpu_ns);
    add_times(entry, values.back(), cpu_ns);
    entry["achieved_rate_hz"] = trial->achieved_rate_hz;
    entry["lost"] = trial->ledger.lost;
    entry["unaccounted"] = trial->ledger.unaccounted;
    entries.push_back(std::move(entry));
  }
  if (values.size() < 2) return;
  add_aggregate(entries, family, "mean", mean, values, cpu_values);
  add_aggregate(entries, family, "median", median, values, cpu_values);
  add_aggregate(entries, family, "stddev", stddev, values, cpu_values);
  add_aggregate(entries, family, "cv", coefficient_of_variation, values, cpu_values);
}

Json context(const Result& result) {
  return {{"date", result.started_utc},
          {"host_name", result.machine.fingerprint},
          {"executable", "tailgate"},
          {"num_cpus", result.machine.logical_cpus},
          {"mhz_per_cpu", std::llround(result.clock.frequency_hz / 1e6)},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_build_type", result.build.type == "Debug" ? "debug" : "release"},
          {"tailgate_version", result.build.version},
          {"tailgate_run", result.id},
          {"label", result.label}};
}

std::string render_gbench(const Result& result, const ExportOptions&) {
  Json entries = Json::array();
  std::size_t family_index = 0;
  for (const auto& [step_name, trials] : benchmark_steps(result)) {
    for (const LatencyKind kind : kLatencyKinds) {
      std::vector<const Trial*> measured = trials;
      std::erase_if(measured, [&](const Trial* t) { return find_latency(*t, kind) == nullptr; });
      if (measured.empty()) continue;
      for (const BenchmarkQuantile& quantile : kBenchmarkQuantiles) {
        // Google Benchmark splits names at '/' into arguments; here the parts are only labels.
        const std::string name = fmt::format("{}/{}/{}", step_name, enum_text(kind), quantile.name);
        add_family(entries, {name, family_index++, measured, kind, quantile});
      }
    }
  }
  if (entries.empty()) throw Error("no trial of the result has times", "run again");
  const Json document = {{"context", context(result)}, {"benchmarks", std::move(entries)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

constinit const Exporter exporters::gbench = exporter_of<render_gbench, Form::json>(
    "gbench", "Google Benchmark's JSON: a benchmark per quantile", ".gbench.json");

}  // namespace tailgate
