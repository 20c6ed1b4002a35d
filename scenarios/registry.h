// The scenarios' own files, for the list in scenario.cpp.
#pragma once

#include "scenarios/scenario.h"

namespace tailgate {

const Scenario& steady_scenario();
const Scenario& burst_scenario();
const Scenario& ramp_scenario();
const Scenario& sweep_scenario();
const Scenario& max_scenario();

}  // namespace tailgate
