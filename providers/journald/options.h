// The journald sink's options, known in every build: a preset that names them also loads where the
// sink is missing.
#pragma once

#include "harness/base/options.h"

namespace tailgate {

OptionTable journald_options();

// Whether max_level_store lets the events in, whose priority is info.
bool journald_stores_events(const Options& options);

}  // namespace tailgate
