// What the spdlog sink says of itself in every build.
#pragma once

#include "harness/base/options.h"

namespace tailgate::spdlog_detail {

inline constexpr const char* kDescription =
    "the spdlog library: lines into a file, synchronous or queued";

OptionTable options();

}  // namespace tailgate::spdlog_detail
