// What each role used during a trial, cut at the same times as the latencies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/overhead/sampler.h"
#include "harness/result/result.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Samples in the thread that calls it, the controller's, which keeps off the load's processor.
class OverheadMeter {
 public:
  explicit OverheadMeter(const TrialMemory& memory);

  void watch(const WatchedProcess& process);

  // Also measures the speed of the victim process. It is no role: its time is in the rest's.
  void watch_victim(int pid) { victim_pid_ = pid; }

  // Counts from now on; called again, forgets what was before (the warm-up).
  void begin();

  // Ends an interval, begins the next.
  void cut();

  // The last cut: while the provider process is still there. Does nothing before begin() and when
  // called again.
  void end();

  // Into the trial, whose intervals are set and were cut when the uses were.
  void report(Trial& trial) const;

 private:
  // A sample with what the load threads say of themselves.
  struct Moment {
    std::uint64_t at_ns = 0;
    std::uint64_t events = 0;
    std::uint64_t victim_rounds = 0;
    std::uint64_t victim_cpu_ns = 0;
    Sample sample;
  };

  Moment now();

  const TrialMemory& memory_;
  Clock clock_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<std::string> daemon_names_;
  int victim_pid_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  Moment first_;
  Moment last_;
  std::vector<std::vector<RoleUse>> intervals_;
  unsigned samples_ = 0;
  std::uint64_t sampler_cpu_ns_ = 0;
  std::uint64_t sampler_longest_ns_ = 0;
};

}  // namespace tailgate
