// Traces the machine while a program runs, and explains its slow calls.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/calls/call_memory.h"
#include "harness/explain/trace.h"
#include "harness/result/explanation.h"

namespace tailgate {

class ProgramTrace {
 public:
  // Records every thread of the machine, since the program's threads do not exist yet. Throws Error
  // like activity::start_trace.
  ProgramTrace(activity::TraceMethod method, const Clock& clock,
               const std::filesystem::path& directory);

  void stop() { trace_->stop(); }

  // Explains the slowest calls. threads: those whose calls were timed, by the system's ids;
  // SlowCall::thread is a place in it. Call it once, after stop(). Throws Error.
  Explanation explain(const std::vector<std::uint32_t>& threads,
                      const std::vector<SlowCall>& slowest, const CallTimes& times);

 private:
  std::unique_ptr<activity::Trace> trace_;
};

}  // namespace tailgate
