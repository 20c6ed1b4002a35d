// Every scenario of this build.
#pragma once

#include "harness/run/scenario.h"

namespace tailgate {

// Adds all scenarios to an empty catalog.
void add_all_scenarios(ScenarioCatalog& scenarios);

}  // namespace tailgate
