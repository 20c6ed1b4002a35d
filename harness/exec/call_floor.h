// What timing a program's calls costs.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/os/clock.h"
#include "harness/result/result.h"

namespace tailgate {

// Runs a program that calls a function that does nothing, timed by the same means, on the same
// processors. programs: whose calls are timed; where the cost depends on how their functions begin
// (uprobe), it is that of the dearest. directory: exists. Throws Error if that fails.
Floor measure_call_floor(const CallList& calls,
                         const std::vector<std::optional<std::filesystem::path>>& programs,
                         const ClockParameters& clock, const std::vector<int>& cpus,
                         const std::filesystem::path& directory);

}  // namespace tailgate
