// tailgate scenarios: the load shapes, presets and suites that can be run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/preset_folders.h"
#include "harness/cli/terminal.h"
#include "harness/os/install_paths.h"
#include "harness/run/preset.h"

namespace tailgate {
namespace {

std::string kind_of(const Preset& preset) {
  return preset.suite ? "suite" : "preset";
}

std::vector<Preset> installed_presets(const Catalog& catalog) {
  std::vector<Preset> presets;
  for (const auto& file : preset_files(preset_folders())) {
    presets.push_back(load_preset(catalog, file));
  }
  return presets;
}

nlohmann::json scenario_json(const Scenario& scenario) {
  nlohmann::json options = nlohmann::json::array();
  for (const OptionSpec& spec : scenario.options()) {
    options.push_back({{"name", spec.name},
                       {"type", option_type_name(spec.type)},
                       {"default", spec.default_value},
                       {"choices", spec.choices},
                       {"help", spec.help}});
  }
  return {{"name", scenario.name()},
          {"kind", "scenario"},
          {"description", scenario.description()},
          {"options", options}};
}

nlohmann::json preset_json(const Preset& preset) {
  nlohmann::json runs = nlohmann::json::array();
  for (const PresetRun& run : preset.runs) {
    nlohmann::json set = nlohmann::json::object();
    for (const auto& [name, value] : run.options.resolved()) set[name] = value;
    runs.push_back({{"scenario", run.scenario->name()}, {"sinks", run.sinks}, {"options", set}});
  }
  return {{"name", preset.name},
          {"kind", kind_of(preset)},
          {"description", preset.description},
          {"runs", runs}};
}

void print_all(const Catalog& catalog, bool json) {
  const std::vector<Preset> presets = installed_presets(catalog);
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& scenario : catalog.scenarios.all()) list.push_back(scenario_json(*scenario));
    for (const Preset& preset : presets) list.push_back(preset_json(preset));
    say_json(list);
    return;
  }
  say("{:<16} {:<9} {}\n", "name", "kind", "what it is");
  for (const auto& scenario : catalog.scenarios.all()) {
    say("{:<16} {:<9} {}\n", scenario->name(), "scenario", scenario->description());
  }
  for (const Preset& preset : presets) {
    say("{:<16} {:<9} {}\n", preset.name, kind_of(preset), preset.description);
  }
  say("\n'tailgate scenarios NAME' lists a scenario's options or what a preset sets.\n");
}

int print_names(const Catalog& catalog) {
  for (const auto& scenario : catalog.scenarios.all()) say("{}\n", scenario->name());
  for (const auto& file : preset_files(preset_folders())) say("{}\n", file.stem().string());
  return kExitDone;
}

void print_scenario(const Scenario& scenario) {
  say("{}: {}\noptions, as name=default:\n", scenario.name(), scenario.description());
  for (const OptionSpec& spec : scenario.options()) {
    say("  {}={}  ({})\n      {}\n", spec.name, spec.default_value,
        spec.type == OptionType::choice ? fmt::format("{}", fmt::join(spec.choices, " | "))
                                        : std::string(option_type_name(spec.type)),
        spec.help);
  }
}

void print_preset(const Preset& preset) {
  say("{} ({}): {}\n", preset.name, kind_of(preset), preset.description);
  for (const PresetRun& run : preset.runs) {
    say("  {} on {}\n", run.scenario->name(),
        run.sinks.empty() ? "the sinks given with --sink"
                          : fmt::format("{}", fmt::join(run.sinks, ", ")));
    for (const auto& [name, value] : run.options.resolved()) {
      if (run.options.given(name)) say("    {}={}\n", name, value);
    }
  }
}

int list_scenarios(const Catalog& catalog, const std::string& name, bool json) {
  if (name.empty()) {
    print_all(catalog, json);
    return kExitDone;
  }
  const Preset preset = as_usage([&] { return find_preset(catalog, name, preset_folders()); });
  const bool plain = preset.name.empty();
  if (json) {
    const nlohmann::json entry =
        plain ? scenario_json(*preset.runs.front().scenario) : preset_json(preset);
    say_json(entry);
  } else if (plain) {
    print_scenario(*preset.runs.front().scenario);
  } else {
    print_preset(preset);
  }
  return kExitDone;
}

}  // namespace

std::vector<std::filesystem::path> preset_folders() {
  const std::filesystem::path scenarios = data_dir() / "scenarios";
  return {scenarios, scenarios / "suites"};
}

void commands::add_scenarios_command(Command& program, const Catalog& catalog, Action& action) {
  Command* command = program.add_subcommand("scenarios", "List the scenarios, presets and suites");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  auto names = std::make_shared<bool>(false);
  CommandOption* one =
      command->add_option("NAME", *name, "only this one, with its options")->type_name("SCENARIO");
  CommandOption* as_json = command->add_flag("--json", *json, "print JSON");
  command->add_flag("--names", *names, "print the names of all, one a line")
      ->excludes(one)
      ->excludes(as_json);
  command->footer(
      "Examples:\n  tailgate scenarios\n  tailgate scenarios sweep\n"
      "  tailgate scenarios quick");
  command->callback([&action, &catalog, name, json, names] {
    action = [&catalog, name, json, names] {
      return *names ? print_names(catalog) : list_scenarios(catalog, *name, *json);
    };
  });
}

}  // namespace tailgate
