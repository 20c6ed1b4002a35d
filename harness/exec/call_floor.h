// What timing a program's calls costs.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/os/clock.h"
#include "harness/result/result.h"

namespace tailgate {

// Runs a program that calls a function that does nothing, timed by the same means, on the same
// processors. directory: exists. Throws Error if that fails.
Floor measure_call_floor(CallMeans means, const ClockParameters& clock,
                         const std::vector<int>& cpus, const std::filesystem::path& directory);

}  // namespace tailgate
