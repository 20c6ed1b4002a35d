// Wraps any sink and plants a known change into it, to test whether the gate finds the change:
// slower calls, a tail, stalls, losses, a leak, more work, a busier daemon; in all calls or only in
// some. An option that begins with "plant_" adds the wrapper, whatever its value:
// "file:mode=write:plant_slower_percent=10".
//
// The wrapper reads the clock twice per call. Beside a bare sink that is a change, too; so give the
// side without a change the wrapper as well: "plant_slower_percent=0".
#pragma once

#include <memory>
#include <string_view>

#include "harness/sink/sink.h"

namespace tailgate {

// Whether `name` is an option of the wrapper.
bool is_plant_option(std::string_view name);

// Wraps the sink: same name, and the wrapper's options beside the sink's own.
std::unique_ptr<const SinkType> plant_into(std::shared_ptr<const SinkType> sink);

}  // namespace tailgate
