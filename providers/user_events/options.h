// What the user_events sink says of itself in every build.
#pragma once

#include "harness/base/options.h"

namespace tailgate::user_events {

inline constexpr const char* kDescription =
    "the kernel's trace buffer: an event that the program registers";

OptionTable options();

}  // namespace tailgate::user_events
