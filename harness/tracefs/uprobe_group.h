// A run's own probes at instructions of programs (kernel: Documentation/trace/uprobetracer.rst).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/tracefs/trace_folder.h"

namespace tailgate::tracefs {

// A group of events, each of which is a probe. All instances have it, but a probe costs nothing
// until one of them enables its event; then it stops every process that comes by.
class UprobeGroup {
 public:
  // The group's name is instance_name() with other separators: "tailgate_PID_RANDOM". The kernel
  // has no group without events, so none is made yet.
  explicit UprobeGroup(const TraceFolder& root);
  // Removes the events. Where one is still enabled, the next run removes it.
  ~UprobeGroup();
  UprobeGroup(const UprobeGroup&) = delete;
  UprobeGroup& operator=(const UprobeGroup&) = delete;

  const std::string& name() const { return name_; }

  // Adds an event that records the stack pointer as `sp`: where the function that begins at that
  // offset of the open file is entered, or where it returns to its caller. Throws Error.
  void add(const std::string& event, int file, std::uint64_t offset, bool at_return);

 private:
  const TraceFolder& root_;
  std::string name_;
  std::vector<std::string> events_;
};

// Removes probes of tailgate's whose process no longer exists and which no instance has enabled.
void sweep_uprobes(const TraceFolder& root);

// Whether this user can make probes here, and follow processes by the numbers that the kernel's
// trace has for them.
Probe probe_uprobes();

}  // namespace tailgate::tracefs
