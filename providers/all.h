// Every sink of this build.
#pragma once

#include <optional>

#include "harness/sink/catalog.h"

namespace tailgate {

// Adds all sinks, the wrappers that plant changes into them and put them behind a queue, and the
// loader of plugins, to an empty catalog.
void add_all_sinks(SinkCatalog& sinks);

// Call it in main(), beside run_role. If the arguments name a process that a sink starts of this
// program, runs it and returns its exit code.
std::optional<int> run_sink_process(int argc, char** argv);

}  // namespace tailgate
