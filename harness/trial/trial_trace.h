// Traces the machine during a trial's load and explains the trial's slow calls.
#pragma once

#include <filesystem>
#include <memory>

#include "harness/explain/trace.h"
#include "harness/result/explanation.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// Calls at or beyond this quantile are explained.
inline constexpr double kExplainedQuantile = 0.999;

// Returns how many calls each thread must keep so that the explained ones are among them; an
// estimate, since it is needed before the load.
std::uint32_t explained_calls(const LoadPlan& load);

class TrialTrace {
 public:
  // Starts the trace. Call it when the load's threads have set ThreadBlock::os_thread, and before
  // they start the load. directory: exists. Throws Error like activity::start_trace.
  TrialTrace(const TrialMemory& memory, activity::TraceMethod method,
             const std::filesystem::path& directory);

  // Stops the trace. Call it when the load is over.
  void stop() { trace_->stop(); }

  // Explains the slow calls in the trial's memory. Call it once, after stop().
  Explanation explain();

 private:
  const TrialMemory& memory_;
  std::vector<std::uint32_t> threads_;
  std::unique_ptr<activity::Trace> trace_;
};

}  // namespace tailgate
