// How a program that tailgate did not load was measured, as lines for a terminal.
#pragma once

#include <string>

#include "harness/result/result.h"

namespace tailgate {

// What timing its calls costs, and a paragraph for each trial: which calls were timed, how the
// program ended, where its log is. Empty where no program was measured.
std::string program_text(const Result& result);

}  // namespace tailgate
