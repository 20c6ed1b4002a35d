// Says why calls of a program were not timed.
#pragma once

#include <optional>
#include <string>

#include "harness/calls/call_list.h"
#include "harness/calls/call_memory.h"

namespace tailgate {

// memory: of a program that has ended, none of whose calls was timed to its end. Returns a sentence
// without a full stop, with what to do.
std::string why_no_call(const CallList& calls, const CallMemory& memory);

// Says how many calls were not timed though others were, and why; nothing if all were.
std::optional<Remark> remark_on_calls_not_timed(const CallCounts& counts);

}  // namespace tailgate
