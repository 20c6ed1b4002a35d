// Creates a control group (cgroup v2), which accounts for processes and all that they start.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/overhead/proc_file_linux.h"
#include "harness/result/overhead.h"

namespace tailgate {

class ProcessGroup {
 public:
  // Creates the group below this process's group, if permitted; it needs no controllers. Notes it
  // in run_folder (see harness/os/outside.h). If there is no group, why_not() says why.
  explicit ProcessGroup(const std::filesystem::path& run_folder);

  // Moves the remaining processes back to the parent group and removes the group.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  bool exists() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }

  // Moves a process with all its threads into the group; processes that it starts follow. Returns
  // whether that succeeded.
  bool add(int pid);

  // Returns cpu_ns, user_ns, system_ns and the stall times since construction, ended processes
  // included.
  Counters read() const;

 private:
  void make(const std::filesystem::path& run_folder);

  std::filesystem::path parent_;
  std::filesystem::path folder_;
  std::string why_not_;
  ProcFile cpu_;
  ProcFile cpu_pressure_;
  ProcFile memory_pressure_;
  ProcFile io_pressure_;
};

}  // namespace tailgate
