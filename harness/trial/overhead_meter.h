// Measures what each role uses during a trial, by the same intervals as the latencies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/os/clock.h"
#include "harness/overhead/sampler.h"
#include "harness/result/result.h"

namespace tailgate {

// What the load has counted since it began.
struct LoadCounts {
  std::uint64_t events = 0;                   // calls that have returned
  std::optional<std::uint64_t> spun_ns = {};  // absent: nobody spins for the schedule
  std::uint64_t victim_rounds = 0;
};

// Samples in the calling thread, the controller's, which does not run on the load's processor.
class OverheadMeter {
 public:
  // counts: called for each sample. directory: see make_sampler.
  OverheadMeter(const ClockParameters& clock, const std::filesystem::path& directory,
                std::function<LoadCounts()> counts);

  void watch(const WatchedProcess& process);

  // Also measures the speed of the victim process. The victim is not a role; its time is in the
  // rest.
  void watch_victim(int pid) { victim_pid_ = pid; }

  // Starts counting now. A second call discards what was counted before (the warm-up).
  void begin();

  // Ends an interval and begins the next. Returns what each role used in it.
  std::vector<RoleUse> cut();

  // Makes the last cut; call it while the provider process still exists. Does nothing before
  // begin(), nor when called again, and then returns nothing.
  std::vector<RoleUse> end();

  // Writes the uses of the whole time into the trial.
  void report(Trial& trial) const;

 private:
  // A sample together with the load threads' own counts.
  struct Moment {
    std::uint64_t at_ns = 0;
    std::uint64_t events = 0;
    std::uint64_t victim_rounds = 0;
    std::uint64_t victim_cpu_ns = 0;
    Sample sample;
  };

  Moment now();

  Clock clock_;
  std::function<LoadCounts()> counts_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<std::string> daemon_names_;
  int victim_pid_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  Moment first_;
  Moment last_;
  unsigned samples_ = 0;
  std::uint64_t sampler_cpu_ns_ = 0;
  std::uint64_t sampler_longest_ns_ = 0;
};

}  // namespace tailgate
