// Says before a program runs that its calls cannot be timed by that means, where its file tells.
#pragma once

#include <filesystem>

#include "harness/calls/call_list.h"

namespace tailgate {

// Follows the first line of a script to its interpreter. Throws Error that says why not, and what
// to do.
void check_means(const CallList& calls, const std::filesystem::path& program);

}  // namespace tailgate
