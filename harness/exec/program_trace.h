// Traces the machine while a program runs, and explains its slow calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/calls/call_memory.h"
#include "harness/explain/trace.h"
#include "harness/profile/sampler.h"
#include "harness/result/explanation.h"

namespace tailgate {

struct ProgramTracePlan {
  activity::TraceMethod method = activity::TraceMethod::best;
  Clock clock;
  std::filesystem::path directory;                 // exists
  std::vector<profile::SampledProcess> processes;  // whose functions are sampled
  double sample_hz = 0;                            // 0: no samples
};

class ProgramTrace {
 public:
  // Records every thread of the machine, since the program's threads do not exist yet. Throws Error
  // like activity::start_trace.
  explicit ProgramTrace(const ProgramTracePlan& plan);

  void stop();

  // Explains the slowest calls. threads: those whose calls were timed, by the system's ids;
  // SlowCall::thread is a place in it. Call it once, after stop(). Throws Error.
  Explanation explain(const std::vector<std::uint32_t>& threads,
                      const std::vector<SlowCall>& slowest, const CallTimes& times);

 private:
  void add_profile(Explanation& explanation, const std::vector<std::uint32_t>& threads,
                   const std::vector<SlowCall>& slowest);

  std::unique_ptr<activity::Trace> trace_;
  std::unique_ptr<profile::StackSampler> sampler_;  // nothing: not wanted, or not available
  std::string why_not_sampled_;
};

}  // namespace tailgate
