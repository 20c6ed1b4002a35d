// Reads preset and suite files: TOML that names one or several scenarios with sinks and options.
//
//   description = "what it is for"        description = "what it is for"
//   scenario = "steady"                   [[run]]
//   sinks = ["null", "file:mode=mmap"]    scenario = "steady"
//   [set]                                 sinks = ["null"]
//   rate_hz = 10_000                      set = { rate_hz = 10_000 }
//
// What is done to a trial's processes during the load is a list of actions, and the scenario that
// judges the trials may be named:
//
//   judge = "crash"
//   [[action]]
//   at_s = 0.5
//   do = "kill"
//   who = "program"
//
// A suite may set "explain = true": its trials then also run under a trace, if that is permitted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/options.h"
#include "harness/run/catalog.h"

namespace tailgate {

struct PresetRun {
  const Scenario* scenario;        // owned by the catalog
  Options options;                 // the scenario's options with the file's settings
  std::vector<std::string> sinks;  // as given; empty: the command line must name them
  std::vector<TrialAction> actions = {};
  const Scenario* judge = nullptr;  // owned by the catalog; null: the scenario itself
};

struct Preset {
  std::string name;  // the file's name without .toml
  std::string description;
  bool suite = false;
  bool explain = false;  // a suite whose slow calls are explained, if permitted
  std::vector<PresetRun> runs;
};

// Reads a preset or a suite. Throws Error that begins with "FILE:LINE: " if the file is not TOML or
// has an unknown key, a wrong type, an impossible value or an unknown sink.
Preset load_preset(const Catalog& catalog, const std::filesystem::path& file);

// Reads the same from a text; origin is the file's name in errors.
Preset parse_preset(const Catalog& catalog, std::string_view text, const std::string& origin);

// Resolves the NAME of `tailgate run NAME`: the scenario of that name with default options, else
// the preset or suite NAME.toml in one of the folders, else NAME as the path of a .toml file.
// Throws Error that lists all names.
Preset find_preset(const Catalog& catalog, const std::string& name,
                   const std::vector<std::filesystem::path>& folders);

// Returns every preset and suite file in those folders, sorted by name.
std::vector<std::filesystem::path> preset_files(const std::vector<std::filesystem::path>& folders);

}  // namespace tailgate
