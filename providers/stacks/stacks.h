// Has any sink's calls made under a call stack of known depth, and captures that stack: in the
// call, as loggers do that attach a backtrace, or by the sink's own path where it can. An option
// that begins with "stacks_" adds that: "spdlog:stacks_depth_frames=16:stacks_by=call".
#pragma once

#include <memory>
#include <string_view>

#include "harness/sink/sink.h"

namespace tailgate {

// Whether `name` is an option of the stacks.
bool is_stacks_option(std::string_view name);

// The sink whose calls have stacks: same name, and the stacks' options beside the sink's own.
std::unique_ptr<const SinkType> give_stacks(std::shared_ptr<const SinkType> sink);

}  // namespace tailgate
