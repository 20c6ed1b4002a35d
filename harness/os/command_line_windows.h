// Builds the texts in which Windows passes arguments and environment to a program.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tailgate {

// Returns a command line that the C library of Microsoft or of mingw parses back into these
// arguments (https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments).
std::wstring command_line_of(const std::vector<std::string>& arguments);

// Returns this process's environment plus `added`, which replaces variables of the same name,
// ignoring case. The format is that of CreateProcessW: "NAME=value" texts that each end in a zero,
// and a final zero. Sorted by name.
std::wstring environment_with(const std::vector<std::pair<std::string, std::string>>& added);

}  // namespace tailgate
