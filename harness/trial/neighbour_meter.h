// Measures who else used the machine during a trial, and what they took from the load's threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/os/clock.h"
#include "harness/overhead/neighbours.h"
#include "harness/overhead/taken_time.h"
#include "harness/result/result.h"

namespace tailgate {

// A thread of the load, for the meter; the system's ids.
struct LoadThreadId {
  int pid = 0;
  std::uint32_t thread = 0;
};

// Works in the calling thread, the controller's. A look takes some milliseconds, so that it is
// taken while no load runs.
class NeighbourMeter {
 public:
  // load_cpus: of the load's threads; empty: not bound. consumer_cpus: likewise.
  NeighbourMeter(const Clock& clock, std::vector<int> load_cpus,
                 const std::vector<int>& consumer_cpus);

  // Looks at all processes: before the idle observation, before the load, and at its end. own: see
  // NeighbourWatch.
  void look(const std::vector<int>& own);

  // The recorded load begins; a second call discards the first (the warm-up).
  void begin_load(const std::vector<LoadThreadId>& load);
  // It runs: what was taken up to now counts, since its threads' counts end with them. Call it
  // often; reads them every 20 ms.
  void follow_load();

  // Writes what was seen into the trial, which has its overhead already.
  void report(Trial& trial) const;

 private:
  struct LoadTimes {
    std::vector<ThreadTimes> threads;           // empty: the system does not tell of all of them
    std::vector<std::uint64_t> stolen_ns = {};  // of each of the load's processors, likewise
  };

  LoadTimes load_times() const;
  std::vector<std::uint64_t> stolen_by_cpu() const;
  std::optional<std::uint64_t> own_elsewhere_ns(const Trial& trial,
                                                std::uint64_t load_ran_ns) const;
  std::optional<std::uint64_t> taken_ns(const Trial& trial) const;

  Clock clock_;
  std::vector<int> load_cpus_;
  bool consumer_apart_;    // not on the load's processors
  bool controller_apart_;  // likewise
  NeighbourWatch watch_;
  bool told_ = false;  // the system tells of processes
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
  std::vector<std::uint64_t> first_stolen_ns_;
  std::vector<std::uint64_t> last_stolen_ns_;
  std::vector<LoadThreadId> load_;
  LoadTimes begin_;
  LoadTimes last_;
  std::uint64_t followed_ns_ = 0;  // when
};

// What others took from each of some threads, at least: the least time that one of them waited for
// its processor, without what the trial's own processes and threads may have made it wait, plus
// what the hypervisor took from that processor. Pure.
std::uint64_t time_taken_ns(const std::vector<ThreadTimes>& threads, bool one_processor_each,
                            std::uint64_t own_elsewhere_ns,
                            const std::vector<std::uint64_t>& stolen_ns);

}  // namespace tailgate
