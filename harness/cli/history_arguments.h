// What several subcommands of `tailgate history` ask for.
#pragma once

#include <string>

#include "harness/cli/command_line.h"

namespace tailgate {

// The option --history: the place of the history.
void add_history_place(Command* command, std::string& place);

// Throws UsageError where the option's value is neither empty nor a date.
void check_night(const std::string& option, const std::string& night);

}  // namespace tailgate
