// The synthetic sink: delays, stalls, losses and damage exactly as its options say, so that what
// the harness reports can be compared with what was planted. `providers/README.md` has the laws.
#pragma once

#include "providers/sink.h"

namespace tailgate {

const SinkType& synthetic_sink();

}  // namespace tailgate
