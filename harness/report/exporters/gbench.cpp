// The JSON of Google Benchmark 1.7, for its compare.py and other tools that read it. A benchmark is
// one quantile of one metric of one step, a repetition is a trial, and the aggregates (mean,
// median, stddev, cv) run over the completed trials. Times are in nanoseconds. cpu_time is the
// provider's processor time per call, without that in which it waited for the next call's time;
// where it was not measured, it is absent.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

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

double median(const std::vector<double>& all) {
  std::vector<double> values = all;
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

// The processor time of the provider per call to the sink; nothing where it was not measured.
std::optional<double> cpu_time_ns(const Trial& trial) {
  if (!trial.overhead || trial.overhead->events == 0) return std::nullopt;
  for (const RoleUse& use : trial.overhead->roles) {
    const Counters& used = use.counters;
    if (use.role != "provider" || !used.cpu_ns) continue;
    const std::uint64_t spun_ns = std::min(used.spun_ns.value_or(0), *used.cpu_ns);
    return static_cast<double>(*used.cpu_ns - spun_ns) /
           static_cast<double>(trial.overhead->events);
  }
  return std::nullopt;
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

void add_times(Json& entry, double real_ns, const std::optional<double>& cpu_ns) {
  entry["real_time"] = real_ns;
  if (cpu_ns) entry["cpu_time"] = *cpu_ns;
  entry["time_unit"] = "ns";
}

double coefficient_of_variation(const std::vector<double>& values) {
  const double center = mean(values);
  return center > 0 ? stddev(values) / center : 0;
}

// cpu_ns: of the trials that measured it, which may be none.
void add_aggregate(Json& entries, const Family& family, const char* aggregate,
                   double (*compute)(const std::vector<double>&),
                   const std::vector<double>& real_ns, const std::vector<double>& cpu_ns) {
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
    values.push_back(static_cast<double>(latency.*family.quantile.value));
    const std::optional<double> cpu_ns = cpu_time_ns(*trial);
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
