// Explains why slow calls were slow: cuts them by cause and sums up the causes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/activity/timeline.h"
#include "harness/explain/delivery_path.h"
#include "harness/histogram/histogram.h"
#include "harness/result/result.h"

namespace tailgate::activity {

// One of the events with the longest delivery times; times on the run clock.
struct SlowDelivery {
  unsigned thread = 0;  // load thread
  std::uint64_t sequence = 0;
  std::uint64_t start_ns = 0;  // of the call
  std::uint64_t seen_ns = 0;
};

// Of a trial with a live reader.
struct ExplainedDeliveries {
  std::vector<SlowDelivery> slowest;
  Histogram delivery;  // of all recorded events, in ns
  Carriers carriers;
};

struct ExplainRequest {
  TraceUsed trace;                          // the trace from which the timeline was built
  std::vector<std::uint32_t> threads;       // the load's, by the system's ids
  std::vector<SlowCall> slowest;            // calls with the longest service times
  std::vector<SlowCall> slowest_responses;  // with the longest response times; empty: closed loop
  Histogram service;                        // of all recorded calls, in ns
  Histogram response;                       // likewise, response times
  double thread_rate_hz = 0;                // planned rate of each thread; 0: none planned
  std::uint64_t burst_events = 0;           // planned at one instant
  double quantile = 0.999;                  // where the tails begin
  std::optional<ExplainedDeliveries> deliveries = {};
};

// Explains the calls of both lists and the deliveries that lie in a tail, and lists the 24
// slowest calls of each list whether or not they lie in a tail. timeline: meets CallCutter's
// requirements; its trace may have lost records. Calls of threads that request.threads does not
// name are untraced.
Explanation explain(const Timeline& timeline, const ExplainRequest& request);

}  // namespace tailgate::activity
