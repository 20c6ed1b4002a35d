// Says why no call of a program was timed.
#pragma once

#include <string>

#include "harness/calls/call_list.h"
#include "harness/calls/call_memory.h"

namespace tailgate {

// memory: of a program that has ended, none of whose calls was timed to its end. Returns a sentence
// without a full stop, with what to do.
std::string why_no_call(const CallList& calls, const CallMemory& memory);

}  // namespace tailgate
