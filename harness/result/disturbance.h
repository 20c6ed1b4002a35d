// What a trace changed: from trials without it and with it to their quantiles side by side.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// For each step that has completed trials and completed traced ones: service and response times at
// p50, p90, p99 and p99.9, over all calls of the trials that have a traced trial of the same index,
// and of those. Throws Error as decode_latency.
std::vector<Disturbance> disturbances(const Result& result);

}  // namespace tailgate
