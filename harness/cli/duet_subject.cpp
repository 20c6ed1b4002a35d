#include "harness/cli/duet_subject.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/error.h"
#include "harness/cli/preset_folders.h"
#include "harness/run/preset.h"
#include "harness/trial/result_facts.h"

namespace tailgate {

NamedSubject subject_of_scenario(const Catalog& catalog, const std::string& scenario,
                                 std::string sink) {
  const Preset preset =
      find_preset(catalog, scenario.empty() ? "steady" : scenario, preset_folders());
  if (preset.runs.size() != 1) {
    throw Error(fmt::format("'{}' is a suite of {} runs", scenario, preset.runs.size()),
                "name one scenario or preset with --scenario");
  }
  const PresetRun& run = preset.runs.front();
  return {std::move(sink), run.scenario, run.options, preset.name};
}

ScenarioUsed scenario_used(const NamedSubject& subject) {
  return {.name = subject.scenario->name(),
          .preset = subject.preset,
          .options = describe_options(subject.options)};
}

}  // namespace tailgate
