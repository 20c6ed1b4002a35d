// Completion for the shells, written from what the help says. A script asks the program itself for
// the names of sinks and scenarios, when the user wants them.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/command_text.h"

namespace tailgate {

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

// What a shell can offer for a value.
enum class Offer {
  words,      // these: the value's choices
  sinks,      // names of sinks
  sink_list,  // the same, separated by commas
  scenarios,  // names of scenarios, presets and suites
  files,      // files and folders
  folders,
};

// By the value's choices, else by its name: "SINK|FILE" offers sinks and files.
std::vector<Offer> offers_for(const OptionText& option);

// A command in the tree.
struct CommandPlace {
  std::string path;  // "" of the program, "/run", "/etl/info"
  const CommandText* command;
};

// All commands, the program first, each before its own commands.
std::vector<CommandPlace> all_commands(const CommandText& program);

}  // namespace tailgate
