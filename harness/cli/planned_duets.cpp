#include "harness/cli/planned_duets.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/error.h"
#include "harness/calls/call_list.h"
#include "harness/cli/gate_samples.h"
#include "harness/cli/known_names.h"
#include "harness/cli/surroundings.h"
#include "harness/result/files.h"

namespace tailgate {

std::vector<std::string> PlannedDuet::told_apart_by() const {
  std::vector<std::string> settings = set;
  if (generation_rounds) {
    settings.push_back(fmt::format("generation_rounds={}", *generation_rounds));
  }
  return settings;
}

std::string PlannedDuet::text() const {
  return benchmark != nullptr ? fmt::format("benchmark {}", scenario)
                              : fmt::format("{} against {}", scenario, sink);
}

DuetSubject PlannedDuet::subject() const {
  return subject_named(scenario, sink);
}

std::vector<PlannedDuet> plan_duets(const Project& project, const Policy& policy, bool nightly) {
  std::vector<PlannedDuet> planned;
  for (const PolicyRun& run : policy.runs) {
    if (run.nightly && !nightly) continue;
    check_duet_settings(parse_settings(run.set));
    for (const std::string& sink : run.sinks) {
      project.sink_of(sink, project.root());  // refuses what the project cannot have
      PlannedDuet duet{.scenario = run.scenario,
                       .sink = sink,
                       .set = run.set,
                       .generation_rounds = run.generation_rounds};
      duet.file = result_file_name(run.scenario, sink, "", parse_settings(duet.told_apart_by()));
      planned.push_back(std::move(duet));
    }
  }
  for (const ProjectBenchmark& benchmark : project.benchmarks) {
    parse_margin(benchmark.margin);
    if (!benchmark.calls.empty()) parse_call_list(benchmark.calls);
    planned.push_back({.scenario = benchmark.name,
                       .benchmark = &benchmark,
                       .file = result_file_name("benchmark", benchmark.name, "", {})});
  }
  if (!planned.empty()) return planned;
  throw Error(fmt::format("'{}' names no run and no benchmark", policy.origin),
              "add [[run]] with scenario and sinks, or to tailgate.toml a [[benchmark]]");
}

}  // namespace tailgate
