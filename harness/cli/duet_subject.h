// What a side of a duet measures, as a user names it: a sink under the load of a scenario or
// preset.
#pragma once

#include <string>

#include "harness/base/options.h"
#include "harness/result/result.h"
#include "harness/run/catalog.h"

namespace tailgate {

struct NamedSubject {
  std::string sink;
  const Scenario* scenario;
  Options options;
  std::string preset;  // its name; empty: a scenario by itself
};

// scenario: a scenario, or a preset of one run; empty: steady. Throws Error where there is none of
// that name, and for a suite.
NamedSubject subject_of_scenario(const Catalog& catalog, const std::string& scenario,
                                 std::string sink);

// As a duet's file says what was run.
ScenarioUsed scenario_used(const NamedSubject& subject);

}  // namespace tailgate
