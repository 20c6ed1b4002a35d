// `tailgate history fleet`.
#pragma once

#include "harness/cli/commands.h"

namespace tailgate {

// Adds it to `tailgate history`.
void add_history_fleet(Command* history, Action& action);

}  // namespace tailgate
