// What tailgate doctor knows of the machine before it judges it. A fact that the system does not
// tell is absent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/probe.h"
#include "harness/os/clock.h"
#include "harness/os/limits.h"
#include "harness/os/machine.h"
#include "harness/overhead/neighbours.h"
#include "harness/result/result.h"

namespace tailgate {

struct ScratchFacts {
  std::filesystem::path folder;
  std::string failure;  // why no file can be written there; empty: one can
  std::optional<std::uint64_t> free_bytes;
  std::optional<bool> in_memory;
};

struct MachineFacts {
  MachineInfo machine;
  SystemLimits limits;
  ClockParameters clock;

  std::vector<int> cpus;  // that this program may use
  unsigned all_cpus = 0;  // of the machine, online
  Placement placement;    // what a run would choose
  int watched_cpu = -1;   // the first processor of the load; -1: the load is not bound
  Noise noise;            // what an idle thread on it saw

  // From then until the end of the watch:
  std::uint64_t watched_ns = 0;
  std::optional<std::uint64_t> stolen_ns;  // from the watched processor
  std::optional<std::vector<Neighbour>> neighbours;
  std::optional<unsigned> other_tailgates;  // processes of other runs

  bool memory_locked = false;      // as a trial locks its memory
  std::uint64_t memory_bytes = 0;  // that a trial locks
  Probe trace;                     // that explains slow calls
  Probe system_calls;              // counting them
  ScratchFacts scratch;
  std::vector<std::string> sinks;  // that work here, without the one that does nothing
  std::vector<std::string> missing_sinks;
};

}  // namespace tailgate
