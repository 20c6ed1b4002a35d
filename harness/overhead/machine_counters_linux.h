// The whole machine's counters.
#pragma once

#include <cstdint>

#include "harness/overhead/proc_file_linux.h"
#include "harness/result/overhead.h"

namespace tailgate {

class MachineCounters {
 public:
  // processors: those that are online.
  explicit MachineCounters(unsigned processors);

  // Counts since the machine started; cpu_ns counts since construction.
  Counters read() const;

 private:
  ProcFile stat_;
  ProcFile vmstat_;
  ProcFile cpu_pressure_;
  ProcFile memory_pressure_;
  ProcFile io_pressure_;
  std::uint64_t processors_;
  std::uint64_t start_ns_;
  std::uint64_t start_idle_ns_;
};

}  // namespace tailgate
