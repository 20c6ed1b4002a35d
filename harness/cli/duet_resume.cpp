#include "harness/cli/duet_resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

std::string list_text(const std::vector<int>& cpus) {
  return cpus.empty() ? "any" : fmt::format("{}", fmt::join(cpus, ","));
}

PlacementArguments placement_of(const Placement& placement) {
  return {.load_cpus = list_text(placement.load_cpus),
          .controller_cpus = list_text(placement.controller_cpus),
          .consumer_cpus = list_text(placement.consumer_cpus)};
}

void take_sinks(const Duet& duet, DuetArguments& arguments) {
  // Folders of layouts are not in the file: the user names them again.
  for (const auto& [side, from] : {std::pair(&arguments.a, &duet.a), {&arguments.b, &duet.b}}) {
    side->subject = from->sink.label;
    side->program = from->program;
    side->label = from->label;
  }
  arguments.long_rounds = duet.long_rounds.value_or(0);
  arguments.generation_rounds = duet.generation_rounds;
  const ScenarioUsed& scenario = duet.a.scenario;
  arguments.scenario = scenario.preset.empty() ? scenario.name : scenario.preset;
  for (const Setting& option : scenario.options) {
    arguments.settings.push_back(option.name + "=" + option.value);
  }
  constexpr double kNsPerMs = 1e6;
  arguments.turn_ms = static_cast<double>(duet.turn_ns) / kNsPerMs;
  arguments.turns = duet.turns;
  arguments.warmup_turns = duet.warmup_turns;
  arguments.placement = placement_of(duet.placement);
  arguments.seed = duet.seed;
}

// What is read is a format, or how calls are timed and which: "preload:write".
void take_commands(const CommandDuet& duet, DuetArguments& arguments) {
  arguments.command.wanted = true;
  for (const auto& [side, from] : {std::pair(&arguments.a, &duet.a), {&arguments.b, &duet.b}}) {
    side->subject = from->command;
    side->label = from->label;
  }
  const std::size_t colon = duet.reads.find(':');
  if (colon == std::string::npos) {
    arguments.command.from = duet.reads;
  } else {
    arguments.command.calls = duet.reads.substr(colon + 1);
  }
  arguments.command.timeout_s = duet.timeout_s;
  arguments.placement = placement_of(duet.placement);
  arguments.seed = duet.seed;
}

void check_nothing_named(const DuetArguments& arguments) {
  const DuetArguments defaults;
  const bool named = !arguments.a.subject.empty() || !arguments.b.subject.empty() ||
                     !arguments.a.program.empty() || !arguments.b.program.empty() ||
                     !arguments.a.label.empty() || !arguments.b.label.empty() ||
                     !arguments.scenario.empty() || !arguments.settings.empty() ||
                     arguments.turn_ms || arguments.turns || arguments.command.wanted ||
                     arguments.out != defaults.out || arguments.seed != defaults.seed;
  if (named) {
    throw UsageError(Error("--resume takes sides, load, turns and seed from the duet's file",
                           "leave these options out, and --out: the file grows"));
  }
}

}  // namespace

void take_from_duet(const std::filesystem::path& file, DuetArguments& arguments) {
  check_nothing_named(arguments);
  as_usage([&] {
    if (is_command_duet_file(file)) {
      take_commands(load_command_duet(file), arguments);
    } else {
      take_sinks(load_duet(file), arguments);
    }
  });
  arguments.out = file.string();
  arguments.resume = true;
}

}  // namespace tailgate
