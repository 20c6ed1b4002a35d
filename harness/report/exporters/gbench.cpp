// The JSON of Google Benchmark 1.7, for its compare.py and other tools that read it. A benchmark is
// one quantile of one metric of one step, a repetition is a trial, and the aggregates (mean,
// median, stddev, cv) run over the completed trials. Times are in nanoseconds. cpu_time repeats
// real_time: the CPU time of a single call is not measured, and compare.py wants a figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "harness/base/error.h"
#include "harness/report/exporter.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

using Json = nlohmann::ordered_json;

struct Quantile {
  const char* name;
  std::uint64_t Latency::*value;
};
constexpr Quantile kQuantiles[] = {{"p50", &Latency::p50_ns},
                                   {"p99", &Latency::p99_ns},
                                   {"p99.9", &Latency::p99_9_ns},
                                   {"max", &Latency::max_ns}};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Standard deviation of a sample (divided by n - 1), as Google Benchmark computes it.
double stddev(const std::vector<double>& values) {
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
  Quantile quantile;
};

Json leading_fields(const Family& family, const std::string& name, const char* run_type) {
  return {{"name", name},
          {"family_index", family.index},
          {"per_family_instance_index", 0},
          {"run_name", family.name},
          {"run_type", run_type},
          {"repetitions", family.trials.size()}};
}

void add_times(Json& entry, double time, const char* unit) {
  entry["real_time"] = time;
  entry["cpu_time"] = time;
  entry["time_unit"] = unit;
}

void add_aggregate(Json& entries, const Family& family, const char* aggregate, double value) {
  Json entry = leading_fields(family, family.name + "_" + aggregate, "aggregate");
  entry["threads"] = family.trials.front()->load.threads;
  entry["aggregate_name"] = aggregate;
  entry["aggregate_unit"] = std::string_view(aggregate) == "cv" ? "percentage" : "time";
  entry["iterations"] = family.trials.size();
  add_times(entry, value, "ns");
  entries.push_back(std::move(entry));
}

void add_family(Json& entries, const Family& family) {
  std::vector<double> values;
  for (const Trial* trial : family.trials) {
    const Latency& latency = *find_latency(*trial, family.kind);
    Json entry = leading_fields(family, family.name, "iteration");
    entry["repetition_index"] = values.size();
    entry["threads"] = trial->load.threads;
    entry["iterations"] = latency.count;
    values.push_back(static_cast<double>(latency.*family.quantile.value));
    add_times(entry, values.back(), "ns");
    entry["achieved_rate_hz"] = trial->achieved_rate_hz;
    entry["lost"] = trial->ledger.lost;
    entry["unaccounted"] = trial->ledger.unaccounted;
    entries.push_back(std::move(entry));
  }
  if (values.size() < 2) return;
  add_aggregate(entries, family, "mean", mean(values));
  add_aggregate(entries, family, "median", median(values));
  add_aggregate(entries, family, "stddev", stddev(values));
  const double center = mean(values);
  add_aggregate(entries, family, "cv", center > 0 ? stddev(values) / center : 0);
}

// Google Benchmark splits names at '/' into arguments; here the parts are only labels.
std::string benchmark_name(const Result& result, const Trial& trial, LatencyKind kind,
                           const Quantile& quantile) {
  const std::string rate =
      trial.load.rate_hz > 0 ? fmt::format("rate_hz:{}", trial.load.rate_hz) : "rate_hz:max";
  return fmt::format("{}@{}/{}/{}/{}", result.scenario.name, result.sink.label, rate,
                     enum_text(kind), quantile.name);
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
  std::map<unsigned, std::vector<const Trial*>> steps;
  for (const Trial& trial : result.trials) {
    if (trial.outcome == TrialOutcome::completed) steps[trial.step].push_back(&trial);
  }
  Json entries = Json::array();
  std::size_t family_index = 0;
  for (const auto& [step, trials] : steps) {
    for (const LatencyKind kind : kLatencyKinds) {
      std::vector<const Trial*> measured = trials;
      std::erase_if(measured, [&](const Trial* t) { return find_latency(*t, kind) == nullptr; });
      if (measured.empty()) continue;
      for (const Quantile& quantile : kQuantiles) {
        add_family(entries, {benchmark_name(result, *measured.front(), kind, quantile),
                             family_index++, measured, kind, quantile});
      }
    }
  }
  if (entries.empty()) {
    throw Error("no trial of the result completed, so it has no benchmarks", "run again");
  }
  const Json document = {{"context", context(result)}, {"benchmarks", std::move(entries)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

constinit const Exporter exporters::gbench = exporter_of<render_gbench, Form::json>(
    "gbench", "Google Benchmark's JSON: a benchmark per quantile", ".gbench.json");

}  // namespace tailgate
