// A run's timed calls as the figures of a duet of commands.
#pragma once

#include <string>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/calls/call_memory.h"
#include "harness/result/command_duet.h"

namespace tailgate {

// What CommandDuet::reads says of them: "preload:write,fsync".
std::string calls_format(const CallList& calls);

// Quantiles of the calls' times, as far as the run had enough calls for them to be told, the mean,
// and, reported only, how many calls there were. Response times where the program stated when calls
// were due, else service times. Throws Error if no call was timed, or not all, or the program has
// overwritten its measurements.
std::vector<CommandFigure> call_figures(const CallList& calls, const CallMemory& memory);

}  // namespace tailgate
