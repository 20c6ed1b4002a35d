// What the lttng sink says of itself in every build.
#pragma once

#include <string>

#include "harness/base/options.h"

namespace tailgate::lttng_detail {

inline constexpr const char* kDescription = "LTTng-UST: per-CPU buffers, with private daemons";

OptionTable options();

// Whether trace files overwrite the oldest ones.
bool wraps(const Options& options);

// "discard", "overwrite" or "block": the option `loss`, whose default depends on the output.
std::string loss_mode(const Options& options);

}  // namespace tailgate::lttng_detail
