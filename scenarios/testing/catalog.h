// All sinks and scenarios, for tests.
#pragma once

#include "harness/run/catalog.h"
#include "providers/all.h"
#include "scenarios/all.h"

namespace tailgate {

// Made once a test program.
inline const Catalog& test_catalog() {
  static const struct AllThereIs : Catalog {
    AllThereIs() {
      add_all_sinks(sinks);
      add_all_scenarios(scenarios);
    }
  } catalog;
  return catalog;
}

}  // namespace tailgate
