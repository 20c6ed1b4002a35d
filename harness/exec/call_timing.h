// Times the calls of one run of a program, by any means.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/calls/call_list.h"
#include "harness/calls/call_memory.h"
#include "harness/exec/uprobes.h"

namespace tailgate {

class CallTiming {
 public:
  // calls: as choose_means() returned it for this program. directory: exists, for temporary files.
  // calls and memory must outlive this object. Throws Error if a library of tailgate's own is
  // missing, or lies where the system's loader cannot be told to find it, or a function has gone.
  CallTiming(const CallList& calls, const std::optional<std::filesystem::path>& program,
             CallMemory& memory, const ClockParameters& clock,
             const std::filesystem::path& directory);

  // Variables that the program needs in its environment.
  std::vector<std::pair<std::string, std::string>> environment() const;

  // The program's process, which has not begun with the program yet. Throws Error.
  void watch(int pid);

  // The program has ended: the memory has all its calls then. Throws Error.
  void stop();

 private:
  const CallList& calls_;
  const CallMemory& memory_;
  std::optional<Uprobes> uprobes_;
};

}  // namespace tailgate
