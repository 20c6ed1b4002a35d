// Results side by side, without a verdict, as text for a terminal of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// Every result against the first: quantiles of response and service times and the processor time of
// logging, with the range of the single trials, because that is how far equal runs lie apart. Says
// first that they were not taken in duet, and what forbids the comparison at all. names: where each
// came from, as many as there are results, at least two.
std::string render_comparison(const std::vector<Result>& results,
                              const std::vector<std::string>& names, bool colour);

}  // namespace tailgate
