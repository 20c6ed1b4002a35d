// `tailgate duet --resume`: what it takes from the file.
#pragma once

#include <filesystem>

#include "harness/cli/duet_arguments.h"

namespace tailgate {

// Sets the sides, the load, turns, processors and the seed to those of the duet in a file, which is
// to be resumed. Throws UsageError where the user named some of them, or it is not a duet's file.
void take_from_duet(const std::filesystem::path& file, DuetArguments& arguments);

}  // namespace tailgate
