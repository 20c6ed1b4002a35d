#include "harness/report/benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/error.h"
#include "harness/result/overhead_summary.h"

namespace tailgate {
namespace {

std::string name_of(const Result& result, const Trial& trial) {
  const std::string rate =
      trial.load.rate_hz > 0 ? fmt::format("{}", trial.load.rate_hz) : std::string("max");
  return fmt::format("{}@{}/rate_hz:{}", result.scenario.name, result.sink.label, rate);
}

}  // namespace

std::vector<BenchmarkStep> benchmark_steps(const Result& result) {
  std::map<unsigned, std::vector<const Trial*>> completed;
  for (const Trial& trial : result.trials) {
    if (trial.outcome == TrialOutcome::completed) completed[trial.step].push_back(&trial);
  }
  if (completed.empty()) {
    throw Error("no trial of the result completed, so it has no benchmarks", "run again");
  }
  std::map<std::string, unsigned> uses;
  for (const auto& [step, trials] : completed) ++uses[name_of(result, *trials.front())];
  std::vector<BenchmarkStep> steps;
  for (auto& [step, trials] : completed) {
    std::string name = name_of(result, *trials.front());
    if (uses[name] > 1) name += fmt::format("/step:{}", step);
    steps.push_back({std::move(name), std::move(trials)});
  }
  return steps;
}

std::optional<double> provider_cpu_ns(const Trial& trial) {
  if (!trial.overhead || trial.overhead->events == 0) return std::nullopt;
  for (const RoleUse& use : trial.overhead->roles) {
    const Counters& used = use.counters;
    if (use.role != "provider") continue;
    // Where others had the processor while the load spun, the rest is no measurement.
    const std::optional<double> busy_ns = busy_cpu_ns(*trial.overhead, used, trial.load.threads);
    if (!busy_ns || *busy_ns <= 0) return std::nullopt;
    return *busy_ns / static_cast<double>(trial.overhead->events);
  }
  return std::nullopt;
}

}  // namespace tailgate
