// From a timeline and the calls that were slow to why they were.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/base/histogram.h"
#include "harness/result/result.h"

namespace tailgate::activity {

struct ExplainRequest {
  TraceUsed trace;                          // how the timeline came about
  std::vector<std::uint32_t> threads;       // the load's, by the system's numbers
  std::vector<SlowCall> slowest;            // by service time
  std::vector<SlowCall> slowest_responses;  // by response time; empty for a closed loop
  Histogram service;                        // of all recorded calls, in ns
  Histogram response;                       // likewise
  double thread_rate_hz = 0;                // events that each thread was to emit; 0: no plan
  std::uint64_t burst_events = 0;           // that were to be emitted at one time
  double quantile = 0.999;                  // where the tails begin
};

// Explains the calls of both lists that lie in their tail, and lists the 24 slowest of each, in a
// tail or not. timeline: as CallCutter wants it; its
// trace may have lost anything. Calls of threads that are not listed are untraced.
Explanation explain(const Timeline& timeline, const ExplainRequest& request);

}  // namespace tailgate::activity
