#include "harness/report/exporter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "harness/base/error.h"
#include "harness/base/options.h"

namespace tailgate {
namespace {

[[noreturn]] void refuse_name(const std::string& what, std::string_view name,
                              const std::vector<std::string>& valid) {
  const std::string near = nearest_name(name, valid);
  throw Error(
      fmt::format("there is no {} '{}'", what, name),
      fmt::format("{}give one of: {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                  fmt::join(valid, ", ")));
}

}  // namespace

std::string_view latency_kind_name(LatencyKind kind) {
  switch (kind) {
    case LatencyKind::service:
      return "service";
    case LatencyKind::response:
      return "response";
    case LatencyKind::delivery:
      return "delivery";
    case LatencyKind::start_lag:
      return "start_lag";
  }
  return "";
}

LatencyKind parse_latency_kind(std::string_view name) {
  std::vector<std::string> valid;
  for (const LatencyKind kind : kLatencyKinds) {
    if (latency_kind_name(kind) == name) return kind;
    valid.emplace_back(latency_kind_name(kind));
  }
  refuse_name("metric", name, valid);
}

const Latency* find_latency(const Trial& trial, LatencyKind kind) {
  const Latency* latency = nullptr;
  switch (kind) {
    case LatencyKind::service:
      latency = &trial.service;
      break;
    case LatencyKind::response:
      latency = &trial.response;
      break;
    case LatencyKind::delivery:
      latency = trial.consumer.delivery ? &*trial.consumer.delivery : nullptr;
      break;
    case LatencyKind::start_lag:
      latency = &trial.start_lag;
      break;
  }
  return latency == nullptr || latency->count == 0 ? nullptr : latency;
}

std::vector<const Exporter*> exporters() {
  return {&csv_exporter(),  &csv_intervals_exporter(), &gbench_exporter(),
          &hgrm_exporter(), &hlog_exporter(),          &perfetto_exporter()};
}

const Exporter& find_exporter(std::string_view name) {
  std::vector<std::string> valid;
  for (const Exporter* exporter : exporters()) {
    if (exporter->name() == name) return *exporter;
    valid.push_back(exporter->name());
  }
  refuse_name("export format", name, valid);
}

Result select_step(const Result& result, unsigned step) {
  Result selected = result;
  std::erase_if(selected.trials, [&](const Trial& trial) { return trial.step != step; });
  std::erase_if(selected.traced, [&](const Trial& trial) { return trial.step != step; });
  std::erase_if(selected.summary, [&](const StepSummary& summary) { return summary.step != step; });
  if (selected.trials.empty()) {
    std::set<unsigned> steps;
    for (const Trial& trial : result.trials) steps.insert(trial.step);
    throw Error(fmt::format("the result has no step {}", step),
                steps.empty() ? std::string("it has no trials at all: run again")
                              : fmt::format("give one of: {}", fmt::join(steps, ", ")));
  }
  return selected;
}

}  // namespace tailgate
