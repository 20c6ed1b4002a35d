// A sink that is a program in another language: the TOML file that describes it. README.md lists
// its keys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "providers/plugin/described.h"

namespace tailgate::plugin_detail {

struct DriverFile {
  Described described;
  tailgate_abilities abilities{};
  std::string language;
  std::string note;  // goes into every result; may be empty
  std::vector<std::string> refusal_causes;
  std::vector<std::string> command;  // not empty
};

// Reads the text of such a file and checks it by the rules for a plugin's table (library.h).
// origin: the file, for errors. Throws Error that names it.
DriverFile parse_driver_file(std::string_view text, const std::string& origin);

}  // namespace tailgate::plugin_detail
