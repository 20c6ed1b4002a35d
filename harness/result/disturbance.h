// Computes how a trace changed the latencies: quantiles of trials without and with the trace.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// Compares service and response times at p50, p90, p99 and p99.9 for each step. A pair is a
// completed trial and the completed traced trial of the same index; the quantiles are over all
// calls of the pairs' trials, and of their traced trials. Throws Error like decode_latency.
std::vector<Disturbance> disturbances(const Result& result);

}  // namespace tailgate
