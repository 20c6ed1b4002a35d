// Times the calls of functions by probes of the kernel's at their entries and returns, which need
// nothing of the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/probe.h"
#include "harness/calls/call_memory.h"
#include "harness/os/clock.h"

namespace tailgate {

// Where a function begins.
struct ProbePlace {
  std::uint32_t kind = 0;  // of its calls
  std::filesystem::path file;
  std::uint64_t offset = 0;  // in the file
};

// Records into a CallMemory what the program would record that marks its calls. (uprobes_linux.cpp,
// uprobes_windows.cpp)
class Uprobes {
 public:
  // Makes the probes, which cost nothing yet. directory: exists, for temporary files. memory must
  // outlive this object. Throws Error.
  Uprobes(const std::vector<ProbePlace>& places, CallMemory& memory, const ClockParameters& clock,
          const std::filesystem::path& directory);
  ~Uprobes();
  Uprobes(const Uprobes&) = delete;
  Uprobes& operator=(const Uprobes&) = delete;

  // Begins to record the calls of this process and of those that it starts. Call it once. Throws
  // Error.
  void watch(int pid);

  // Ends recording; the memory has all calls then. Throws Error if records could not be read.
  void stop();

 private:
  class Recording;
  std::unique_ptr<Recording> recording_;
};

// Whether this user can use them here.
Probe probe_uprobes();

// Removes what runs left that were killed.
void sweep_uprobes();

}  // namespace tailgate
