// Every sink of this build.
#pragma once

#include "harness/sink/catalog.h"

namespace tailgate {

// Adds all sinks, and the wrapper that plants changes into them, to an empty catalog.
void add_all_sinks(SinkCatalog& sinks);

}  // namespace tailgate
