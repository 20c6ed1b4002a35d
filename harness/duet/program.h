// Another build of this program as one side of a duet: whether it can take the part, and what it
// is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "harness/result/result.h"

namespace tailgate {

// The word that makes a build print what it is, for ask_program.
inline constexpr const char* kDescribeCommand = "describe-program";

// What this program answers to it: one line of JSON.
std::string describe_program(const Build& build);

// Runs that program with kDescribeCommand, for at most 5 seconds; its output goes to a file in
// scratch, which is removed. Throws Error when it cannot be run, is no tailgate, or shares memory
// by another protocol than this one.
Build ask_program(const std::filesystem::path& program, const std::filesystem::path& scratch);

}  // namespace tailgate
