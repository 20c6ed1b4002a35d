// Between a histogram and the form in which a result holds it, and from trials to their summary.
#pragma once

#include <vector>

#include "harness/base/histogram.h"
#include "harness/result/result.h"

namespace tailgate {

// The digest and the encoded distribution of a histogram of nanoseconds.
Latency make_latency(const Histogram& histogram);

// The histogram that a Latency was made from, its overflow count included; an empty one of the
// default range when nothing was ever recorded (count 0 and no distribution). Throws Error when
// the distribution cannot be decoded or holds another number of values than `count` says.
Histogram decode_latency(const Latency& latency);

inline constexpr const char* kOutcomeCompleted = "completed";

// One summary for each step that has a trial, by rising step: quantiles of the merged histograms
// of its completed trials, the median of their achieved rates (of an even number, the lower of the
// middle two), and whether that median trial missed its rate. A step whose trials all failed has
// trials = 0 and empty latencies. The overhead is summarize_overhead's (overhead_summary.h). Throws
// as decode_latency, naming the trial.
std::vector<StepSummary> summarize(const Result& result);

}  // namespace tailgate
