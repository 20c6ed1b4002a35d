// A trace of what the machine does, beside a trial: one interface, an implementation for each way
// in which an operating system shows it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/base/clock.h"
#include "harness/base/probe.h"
#include "harness/result/explanation.h"

namespace tailgate::activity {

enum class TraceMethod : std::uint8_t {
  best,              // the first of those below that can be had, or none of them
  kernel_trace,      // everything that the kernel's own trace shows
  context_switches,  // when the threads were switched out and in
};

struct TraceOptions {
  TraceMethod method = TraceMethod::best;
  std::filesystem::path directory;     // exists; for the trace's own use until it is destroyed
  Clock clock;                         // the run clock
  std::vector<std::uint32_t> threads;  // the load's, by the system's numbers; they exist
  std::vector<int> cpus;               // of the thread that reads the trace; empty: any
};

class Trace {
 public:
  virtual ~Trace() = default;

  // Records nothing from here on. Does not throw: what went wrong is in used().limits.
  virtual void stop() = 0;

  // Hands over everything that was recorded, in order of time in nanoseconds of the run clock, and
  // says what that was. Once, after stop(); the timeline watches the threads and keeps intervals.
  virtual TraceUsed read(Timeline& timeline) = 0;
};

// Starts recording. Throws Error when the method cannot be had here, or its start fails;
// TraceMethod::best then falls back to the next.
std::unique_ptr<Trace> start_trace(const TraceOptions& options);

// Whether, with TraceMethod::best, slow calls can be explained in full here; reason and remedy also
// say what a fallback lacks.
Probe probe_trace();

}  // namespace tailgate::activity
