// How Windows passes arguments and environments to a program: as one text each.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tailgate {

// The command line that a program built with Microsoft's or mingw's C library takes apart into
// these arguments again
// (https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments).
std::wstring command_line_of(const std::vector<std::string>& arguments);

// This process's environment with `added` in place of variables of the same name, whose letters
// may differ in case: as CreateProcessW takes it, "NAME=value" texts that each end in a zero, and
// a zero. Sorted by name.
std::wstring environment_with(const std::vector<std::pair<std::string, std::string>>& added);

}  // namespace tailgate
