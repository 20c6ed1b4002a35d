// A control group (cgroup v2) of our own, which accounts for processes and all that they start.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/overhead/proc_file_linux.h"
#include "harness/result/overhead.h"

namespace tailgate {

class ProcessGroup {
 public:
  // Below the group that this process is in, where that is permitted; it needs no controllers.
  // Removes groups of this kind that dead processes left. Never throws: why_not() says why there
  // is none.
  ProcessGroup();

  // What is still in it goes back to the group it came from.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  bool exists() const { return why_not_.empty(); }
  const std::string& why_not() const { return why_not_; }

  // Whether the process, with all its threads, now counts here; so will those that it starts.
  bool add(int pid);

  // cpu_ns, user_ns, system_ns and the stall times, since construction, also of what has ended.
  Counters read() const;

 private:
  void make();

  std::filesystem::path parent_;
  std::filesystem::path folder_;
  std::string why_not_;
  ProcFile cpu_;
  ProcFile cpu_pressure_;
  ProcFile memory_pressure_;
  ProcFile io_pressure_;
};

}  // namespace tailgate
