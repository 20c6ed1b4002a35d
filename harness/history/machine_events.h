// When machines changed: a new kernel, microcode, compiler, setting. From the facts that every
// document holds.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"

namespace tailgate::history {

// With a document of this night the machine was not what it had been for the one before.
struct MachineEvent {
  std::string night;
  std::string machine;
  std::string fingerprint;
  std::vector<std::string> changes;  // "kernel: 6.1.0-27 -> 6.1.0-28"; at least one
};

// documents: in order of nights.
std::vector<MachineEvent> machine_events(const std::vector<Record>& documents);

}  // namespace tailgate::history
