// One process's counters, from its CPU clock and /proc.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "harness/os/process_stat_linux.h"
#include "harness/overhead/proc_file_linux.h"
#include "harness/result/overhead.h"

namespace tailgate {

class ProcessCounters {
 public:
  explicit ProcessCounters(int pid);

  // Reads all counters, since the process began. Returns false if the process has ended; the last
  // values stay. A zombie is read once more and counts as ended.
  bool read();

  const Counters& counters() const { return counters_; }

 private:
  // The counters that the kernel keeps only per thread.
  struct Thread {
    ProcFile schedstat;
    ProcFile status;
    std::uint64_t run_queue_ns = 0;
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
  };

  void take_stat(const ProcessStat& stat);
  void read_status();
  void read_io();
  void read_descriptors();
  void find_threads();
  void read_threads();

  int pid_;
  std::string folder_;
  std::string descriptors_;  // the folder of its open descriptors
  ProcFile stat_;
  ProcFile status_;
  ProcFile io_;
  std::map<int, Thread> threads_;  // by id; ended threads keep their last values
  Counters counters_;
};

// Processor time of the kernel's threads since construction.
class KernelThreads {
 public:
  KernelThreads();

  // Whether the kernel's threads are visible to this process.
  bool visible() const { return children_.is_open(); }

  // Reads the times of all kernel threads again.
  void read();

  std::uint64_t cpu_ns() const;
  unsigned count() const { return static_cast<unsigned>(threads_.size()); }

 private:
  struct Thread {
    std::uint64_t base_ns;
    std::uint64_t last_ns;
  };

  ProcFile children_;
  std::map<int, Thread> threads_;
  std::uint64_t of_ended_ns_ = 0;
  bool first_ = true;
};

}  // namespace tailgate
