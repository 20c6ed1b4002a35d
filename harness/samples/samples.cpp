#include "harness/samples/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/error.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {

std::size_t SampleCollector::index_of(const FigureName& name, double value) {
  std::string full = name.benchmark;
  if (!full.empty() && !name.metric.empty()) full += ' ';
  full += name.metric;
  if (!std::isfinite(value)) {
    throw Error(fmt::format("{}: {} has a value that is no finite number", origin_, full),
                "repeat the run; if it happens again, leave this benchmark out");
  }
  const auto [at, added] = index_.try_emplace(full, samples_.series.size());
  if (added) {
    if (samples_.series.size() == kMaxFigures) {
      throw Error(fmt::format("{}: more than {} figures", origin_, kMaxFigures),
                  "run fewer benchmarks at once, for example by the tool's filter");
    }
    samples_.series.push_back(
        {full, std::string(name.metric), std::string(name.unit), name.headline, {}});
    of_process_.emplace_back();
  }
  return at->second;
}

void SampleCollector::append(std::vector<double>& values, double value) const {
  if (values.size() == kMaxValues) {
    throw Error(fmt::format("{}: more than {} values of one figure", origin_, kMaxValues),
                "write one figure for each process, such as its median");
  }
  values.push_back(value);
}

void SampleCollector::add_repetition(const FigureName& name, double value) {
  append(samples_.series[index_of(name, value)].values, value);
}

void SampleCollector::add(const FigureName& name, double value) {
  const std::size_t index = index_of(name, value);
  if (of_process_[index].empty()) touched_.push_back(index);
  append(of_process_[index], value);
}

void SampleCollector::end_process() {
  if (touched_.empty()) return;
  ++samples_.processes;
  for (const std::size_t index : touched_) {
    std::vector<double>& values = of_process_[index];
    samples_.pooled = std::max(samples_.pooled, values.size());
    samples_.series[index].values.push_back(median(values));
    values.clear();
  }
  touched_.clear();
}

void SampleCollector::add_machine(const std::string& name) {
  std::vector<std::string>& machines = samples_.machines;
  const bool known = std::find(machines.begin(), machines.end(), name) != machines.end();
  if (!known && machines.size() < 2) machines.push_back(name);
}

}  // namespace tailgate
