// Traces the machine during a trial's load and explains the trial's slow calls.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/explain/delivery_path.h"
#include "harness/explain/trace.h"
#include "harness/overhead/sampler.h"
#include "harness/profile/sampler.h"
#include "harness/result/explanation.h"
#include "harness/result/result.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Calls at or beyond this quantile are explained.
inline constexpr double kExplainedQuantile = 0.999;

// Returns how many calls each thread must keep so that the explained ones are among them; an
// estimate, since it is needed before the load.
std::uint32_t explained_calls(const LoadPlan& load);

struct TrialTracePlan {
  activity::TraceMethod method = activity::TraceMethod::best;
  std::filesystem::path directory;        // exists
  std::vector<WatchedProcess> processes;  // of the trial
  bool functions = false;                 // also record the kernel's functions
  double sample_hz = 0;                   // also sample functions at this rate; 0: do not
};

class TrialTrace {
 public:
  // Starts the trace, and the sampler where there is one. Call it when the load's threads have set
  // ThreadBlock::os_thread, and before they start the load. Throws Error like
  // activity::start_trace.
  TrialTrace(const TrialMemory& memory, const TrialTracePlan& plan);

  // Stops both. Call it when the load is over, while the processes still exist.
  void stop();

  // Explains the slow calls in the trial's memory. Call it once, after stop().
  Explanation explain();

 private:
  void start_sampler(const TrialTracePlan& plan);
  void find_daemons();
  TraceUsed read_trace(activity::Timeline& timeline);
  activity::Carriers carriers() const;
  void add_profile(Explanation& explanation, const std::vector<SlowCall>& slowest,
                   const std::vector<SlowCall>& slowest_responses);

  const TrialMemory& memory_;
  std::vector<std::uint32_t> threads_;
  bool functions_;                          // of the kernel are wanted
  std::vector<int> daemons_;                // processes
  std::set<std::uint32_t> daemon_threads_;  // at the start or at the end
  std::unique_ptr<activity::Trace> trace_;
  std::unique_ptr<profile::StackSampler> sampler_;  // nothing: not wanted, or not available
  std::string why_not_sampled_;
};

}  // namespace tailgate
