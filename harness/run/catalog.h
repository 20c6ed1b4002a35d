// The sinks and scenarios that a program can measure. The program's main function fills the catalog
// and passes it to the commands.
#pragma once

#include "harness/run/scenario.h"
#include "harness/sink/catalog.h"

namespace tailgate {

struct Catalog {
  SinkCatalog sinks;
  ScenarioCatalog scenarios;
};

}  // namespace tailgate
