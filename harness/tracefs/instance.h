// A trial's own trace buffer: a tracefs instance. The session creates it, and the other roles find
// it through a file in the trial's directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/clock.h"
#include "harness/tracefs/event_format.h"
#include "harness/tracefs/trace_folder.h"

namespace tailgate::tracefs {

struct InstanceOptions {
  std::uint64_t buffer_bytes = 0;  // per processor; the kernel rounds to whole pages
  bool overwrite = true;           // a full buffer drops its oldest page; false: the new event
  ClockKind clock = ClockKind::tsc;
};

// The size of each processor's buffer where it is read every few milliseconds: 16 MiB, or less
// where all of them would exceed 256 MiB together, but 1 MiB at least.
std::uint64_t buffer_bytes_to_poll();

// Events of all processors, by the kernel's files per_cpu/cpuN/stats: those that were lost since
// the instance was created, and those that can be read.
struct BufferCounts {
  std::uint64_t overrun_events = 0;  // overwritten before they were read
  std::uint64_t dropped_events = 0;  // rejected: the buffer was full
  // In the buffer now, by the kernel's books. Where a reader takes a page while a writer overwrites
  // the next one, the kernel may lose a page that it does not count as overrun (seen with Linux
  // 6.18 on a busy machine: 8 of 186,700 events). Such events stay in this number after everything
  // was read.
  std::uint64_t kept_events = 0;
  std::uint64_t kept_bytes = 0;
};

// Reads the counts of an instance. Throws Error.
BufferCounts buffer_counts(const TraceFolder& instance);

class Instance {
 public:
  // Creates an instance, records its name in `directory`, and configures it. Throws Error and
  // removes the instance if that fails.
  Instance(const std::filesystem::path& directory, const InstanceOptions& options);
  // Removes the instance. If a process still has one of its files open, the next run removes it.
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const std::string& name() const { return name_; }
  const TraceFolder& folder() const { return folder_; }

  // Name, clock, buffer size and mode, as the kernel reports them.
  std::vector<std::pair<std::string, std::string>> granted() const;

  // Whether it records from now on; it does after its creation. Events in the buffer stay readable.
  // Throws Error.
  void record(bool on) const;

 private:
  void set_up(const InstanceOptions& options) const;

  TraceFolder root_;
  std::string name_;
  TraceFolder folder_;
  Handle held_;  // an open file of the instance, which prevents its removal
};

// The name and the folder of the trial's instance, for its provider and consumer. Both throw Error
// if the session has not created it.
std::string trial_instance(const std::filesystem::path& directory);
TraceFolder open_instance(const std::filesystem::path& directory);

// Returns a new name: "tailgate-PID-XXXXXXXX", ending in 8 random hexadecimal digits.
std::string instance_name();

// Returns the PID in a name of that form with this separator, or 0 if the name has another form.
int owner_pid(const std::string& name, char separator);

bool process_is_gone(int pid);

// Removes instances of tailgate's whose process no longer exists and which nobody has open.
void sweep_instances(const TraceFolder& root);

}  // namespace tailgate::tracefs
