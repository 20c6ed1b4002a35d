// Any sink with a known change planted into it, to see whether the gate finds the change: slower
// calls, a tail, stalls, a leak, a busier daemon. A sink becomes planted by an option that begins
// with "plant_", whatever its value: "file:mode=write:plant_slower_percent=10".
//
// The wrapper itself costs two reads of the clock a call. Against a side without it that is a
// change too; for a fair comparison plant nothing there: "plant_slower_percent=0".
#pragma once

#include <string_view>

#include "providers/sink.h"

namespace tailgate {

// Whether an option of that name is the wrapper's.
bool is_plant_option(std::string_view name);

// That sink with the wrapper's options beside its own. Keeps its name. The object lives for ever.
const SinkType& planted_sink(const SinkType& sink);

}  // namespace tailgate
