// The explanations of slow calls, merged over trials.
#pragma once

#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// The trials of a step that have an explanation.
std::vector<const Trial*> explained_trials(const Result& result, unsigned step);

// Their tails, one for each measure: sums over the trials. The threshold is the lowest of the
// trials, which every call of the sum reaches; the plot of causes says the same one
// (plots/causes.py). The usual time is that of the median trial (of an even number of trials, the
// lower of the middle two).
std::vector<ExplainedTail> merged_tails(const Result& result, unsigned step);

}  // namespace tailgate
