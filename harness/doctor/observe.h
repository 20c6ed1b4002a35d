// Collects the facts about this machine.
#pragma once

#include <filesystem>

#include "harness/doctor/facts.h"
#include "harness/sink/catalog.h"

namespace tailgate {

struct DoctorPlan {
  double watch_s = 2;
  Placement placement;            // what a run would choose
  std::filesystem::path scratch;  // where a run would put its files; need not exist yet
};

// Watches the first of the load's processors for so long, as a trial does before its load, and
// reads the rest. Starts no sink, and leaves nothing behind. The calling thread may run anywhere
// afterwards.
MachineFacts observe_machine(const DoctorPlan& plan, const SinkCatalog& sinks);

}  // namespace tailgate
