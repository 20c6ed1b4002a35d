// Uses another build of this program as one side of a duet: checks that it can do so, and gets its
// build information.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/result/result.h"

namespace tailgate {

// The command that makes a build print its description, for ask_program.
inline constexpr const char* kDescribeCommand = "describe-program";

// Returns this program's description: one line of JSON.
std::string describe_program(const Build& build);

// Runs that program with kDescribeCommand for at most 5 seconds, with a temporary file in `scratch`
// for its output. Throws Error if it cannot be run, is not tailgate, or uses another protocol of
// the shared memory.
Build ask_program(const std::filesystem::path& program, const std::filesystem::path& scratch);

}  // namespace tailgate
