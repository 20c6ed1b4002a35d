// A trace of the machine's activity during a trial: one interface, with one implementation for each
// source of trace records.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/base/probe.h"
#include "harness/os/clock.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

enum class TraceMethod : std::uint8_t {
  best,              // the first available of those below; if there is none, no trace
  kernel_trace,      // everything that the kernel's trace shows
  context_switches,  // only when the threads were switched out and in
};

struct TraceOptions {
  TraceMethod method = TraceMethod::best;
  std::filesystem::path directory;     // exists; the trace alone uses it until it is destroyed
  Clock clock;                         // the run clock
  std::vector<std::uint32_t> threads;  // the load's, by the system's ids; they exist
  bool functions = false;  // also each function of the kernel that they enter, if it …
                           // … can be recorded; if not, TraceUsed::limits says why
  std::vector<int> cpus;   // for the thread that reads the trace; empty: any
};

class Trace {
 public:
  virtual ~Trace() = default;

  // Stops recording. Does not throw: read() reports a failure in TraceUsed::limits.
  virtual void stop() = 0;

  // Adds everything that was recorded to the timeline, in order of time, in nanoseconds of the run
  // clock. Returns a description of the trace. Call it once, after stop(); the timeline must watch
  // the threads and keep intervals.
  virtual TraceUsed read(Timeline& timeline) = 0;
};

}  // namespace tailgate::activity
