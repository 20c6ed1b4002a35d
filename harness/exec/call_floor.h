// How a program's environment makes its calls be timed, and what that costs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/calls/call_memory.h"
#include "harness/result/result.h"

namespace tailgate {

// The variables with which a program's calls are timed by that means. Throws Error if a library of
// tailgate's own is missing, or lies where the system's loader cannot be told to find it.
std::vector<std::pair<std::string, std::string>> timing_environment(const CallList& calls,
                                                                    const CallMemory& memory);

// Runs a program that calls a function that does nothing, timed by the same means, on the same
// processors. directory: exists. Throws Error if that fails.
Floor measure_call_floor(CallMeans means, const ClockParameters& clock,
                         const std::vector<int>& cpus, const std::filesystem::path& directory);

}  // namespace tailgate
