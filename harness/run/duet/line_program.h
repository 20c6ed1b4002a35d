// Which program a line for the shell runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace tailgate {

// Returns the path of the program that a line runs which is one command: "VAR=value ./program
// ARGS". Nothing for a line of several commands, and for a program whose name the shell would
// change or that is not found. directory: where the line runs; empty: in this process's folder.
std::optional<std::filesystem::path> program_of_line(std::string_view line,
                                                     const std::filesystem::path& directory);

}  // namespace tailgate
