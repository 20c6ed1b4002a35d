// What the ftrace sink says of itself in every build.
#pragma once

#include "harness/base/options.h"

namespace tailgate::ftrace {

inline constexpr const char* kDescription =
    "the kernel's trace buffer: markers in a tracefs instance";

OptionTable options();

}  // namespace tailgate::ftrace
