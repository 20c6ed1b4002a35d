// Samples what the threads of some processes run: one interface, with one implementation per
// operating system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/os/clock.h"
#include "harness/profile/samples.h"

namespace tailgate::profile {

// Samples per second of a thread's processor time. No divisor of a usual rate of events, so that
// samples do not keep step with the load; few enough that less than one call in a thousand is hit.
inline constexpr double kSampleRateHz = 997;
inline constexpr double kMaxSampleRateHz = 20'000;

struct SampledProcess {
  SampledRole role;  // of the threads that are not the load's
  int pid = 0;
};

// When a sample is taken.
enum class Sampled {
  time,         // at rate_hz of a thread's processor time
  page_faults,  // at every page fault whose page is still in memory at the end
};

struct SamplerOptions {
  Sampled sampled = Sampled::time;
  double rate_hz = kSampleRateHz;
  Clock clock = {};                      // the run clock
  std::vector<std::uint32_t> load = {};  // the load's threads, by the system's ids; they exist
  std::vector<SampledProcess> processes =
      {};  // with all their threads and the processes they start
  // In place of processes: one that has yet to become another program (execve). It is sampled from
  // then on, with every thread and process that it starts, to the end of each, as the provider.
  int command = 0;
  std::vector<int> cpus = {};  // for the thread that collects; empty: any
  // Exists; a sampler that writes a file has it there until it is destroyed.
  std::filesystem::path directory = {};
};

class StackSampler {
 public:
  virtual ~StackSampler() = default;

  // Stops sampling. What a process maps in its last 0.2 s, or 20 ms if it is a command's, has names
  // only if it still exists then.
  // Does not throw.
  virtual void stop() = 0;

  // Names what was sampled. Call it once, after stop().
  virtual Samples read() = 0;

  // The thread of this process that collected the samples, by the system's id; 0: there was none.
  // Call it after stop().
  virtual std::uint32_t collector() const { return 0; }
};

// Starts to sample. Throws Error that says what to do if the system does not permit it, or has no
// such thing.
std::unique_ptr<StackSampler> start_sampler(const SamplerOptions& options);

}  // namespace tailgate::profile
