// Preset and suite files: TOML that names a scenario (or several), sinks and options.
//
//   description = "what it is for"        description = "what it is for"
//   scenario = "steady"                   [[run]]
//   sinks = ["null", "file:mode=mmap"]    scenario = "steady"
//   [set]                                 sinks = ["null"]
//   rate_hz = 10_000                      set = { rate_hz = 10_000 }
//
// A suite may say "explain = true": its trials also run under a trace, where that is permitted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "scenarios/scenario.h"

namespace tailgate {

struct PresetRun {
  const Scenario* scenario;
  Options options;                 // the scenario's, with the file's settings applied
  std::vector<std::string> sinks;  // as given; empty: the command line must name them
};

struct Preset {
  std::string name;  // the file's name without .toml
  std::string description;
  bool suite = false;
  bool explain = false;  // a suite whose slow calls are explained where that is permitted
  std::vector<PresetRun> runs;
};

// Reads a preset or a suite. Throws Error with "FILE:LINE: " in front for anything that is not TOML
// or does not fit: an unknown key, a wrong type, an impossible value, an unknown sink.
Preset load_preset(const std::filesystem::path& file);

// The same from text; origin stands for the file's name in errors.
Preset parse_preset(std::string_view text, const std::string& origin);

// What `tailgate run NAME` means: a scenario by its own name with default options, else the preset
// or suite NAME.toml in one of the folders, else NAME as a path to a .toml file. Throws Error that
// lists what there is.
Preset find_preset(const std::string& name, const std::vector<std::filesystem::path>& folders);

// Every preset and suite file in those folders, by name.
std::vector<std::filesystem::path> preset_files(const std::vector<std::filesystem::path>& folders);

}  // namespace tailgate
