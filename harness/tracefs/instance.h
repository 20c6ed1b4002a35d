// A trace buffer of our own: an instance in tracefs, made by the session and found by the other
// roles through a file in the trial's directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::tracefs {

struct InstanceOptions {
  std::uint64_t buffer_bytes = 0;  // of each processor; the kernel rounds to whole pages
  bool overwrite = true;           // a full buffer: its oldest page gives way, or the new event
  ClockKind clock = ClockKind::tsc;
};

// What the kernel counted on all processors since the instance was made: the files
// per_cpu/cpuN/stats.
struct BufferCounts {
  std::uint64_t overrun_events = 0;  // overwritten before they were read
  std::uint64_t dropped_events = 0;  // not taken: the buffer was full
};

class Instance {
 public:
  // Makes one, records it in directory, and sets it up. Throws Error; nothing is left behind then.
  Instance(const std::filesystem::path& directory, const InstanceOptions& options);
  // Removes it, unless a process still has one of its files open; the next run does it then.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& name() const { return name_; }
  const TraceFolder& folder() const { return folder_; }

  // Clock, sizes and mode as the kernel states them.
  std::vector<std::pair<std::string, std::string>> granted() const;

  // Takes no more events; what is in the buffer stays readable. Throws Error.
  void stop() const;

  // Throws Error.
  BufferCounts counts() const;

 private:
  void set_up(const InstanceOptions& options) const;

  TraceFolder root_;
  std::string name_;
  TraceFolder folder_;
  Handle held_;  // an open file of the instance: it cannot be removed meanwhile
};

// The name of the trial's instance, and the instance, for its provider and its consumer. Throw
// Error.
std::string trial_instance(const std::filesystem::path& directory);
TraceFolder open_instance(const std::filesystem::path& directory);

// "tailgate-PID-8 hexadecimal digits".
std::string instance_name();

// The PID in such a name, with this separator, or 0 when the name is none.
int owner_pid(const std::string& name, char separator);

bool process_is_gone(int pid);

// Removes the instances whose name is ours, whose process is gone and of which no file is open.
void sweep_instances(const TraceFolder& root);

}  // namespace tailgate::tracefs
