// Converts between a histogram and its form in a result, and summarises trials.
#pragma once

#include <vector>

#include "harness/histogram/histogram.h"
#include "harness/result/result.h"

namespace tailgate {

// Returns the quantiles and the encoded distribution of a histogram of nanoseconds.
Latency make_latency(const Histogram& histogram);

// Returns the histogram from which a Latency was made, including its overflow count. If nothing was
// recorded (count 0 and no distribution), returns an empty one of the default range. Throws Error
// if the distribution cannot be decoded or its number of values differs from `count`.
Histogram decode_latency(const Latency& latency);

// Returns the distribution of both together. Throws Error like decode_latency.
Latency joined(const Latency& a, const Latency& b);

// Returns one summary per step that has a trial, in order of steps: quantiles of the merged
// histograms of its completed trials, the median of their achieved rates (for an even number, the
// lower of the middle two), and whether that median trial missed its rate. A step whose trials all
// failed has trials = 0 and empty latencies. summarize_overhead (overhead_summary.h) computes the
// overhead. Throws Error like decode_latency, and names the trial.
std::vector<StepSummary> summarize(const Result& result);

}  // namespace tailgate
