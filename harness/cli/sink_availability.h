// Whether a build can run a sink on this machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/sink/catalog.h"

namespace tailgate {

// Asks another build of tailgate. Returns why it cannot run the sink here; nothing if it can.
// output: a file that is written anew.
std::optional<std::string> why_without(const std::filesystem::path& program,
                                       const std::string& sink,
                                       const std::filesystem::path& output);

// The same of a sink that this program loads.
std::optional<std::string> why_not_loaded(const SinkCatalog& sinks, const std::string& sink);

}  // namespace tailgate
