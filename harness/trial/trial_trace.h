// The trace beside a trial's load, and what it says of the trial's slow calls.
#pragma once

#include <filesystem>
#include <memory>

#include "harness/activity/trace.h"
#include "harness/result/explanation.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// The share of a trial's calls that is explained: those at and beyond this quantile.
inline constexpr double kExplainedQuantile = 0.999;

// How many calls each thread must keep so that all explained ones are among them, as far as can be
// told before the load.
std::uint32_t explained_calls(const LoadPlan& load);

class TrialTrace {
 public:
  // Once the load's threads have their numbers (ThreadBlock::os_thread), before they are told to
  // go. directory: exists. Throws Error as activity::start_trace.
  TrialTrace(const TrialMemory& memory, activity::TraceMethod method,
             const std::filesystem::path& directory);

  // When the load is over.
  void stop() { trace_->stop(); }

  // Of what the trial's memory holds by then; after stop(), once.
  Explanation explain();

 private:
  const TrialMemory& memory_;
  std::vector<std::uint32_t> threads_;
  std::unique_ptr<activity::Trace> trace_;
};

}  // namespace tailgate
