// How well a few trials tell a mean. A pure function.
#pragma once

#include <span>

namespace tailgate {

struct MeanInterval {
  double mean = 0;
  double half_width = 0;  // the interval is mean - half_width to mean + half_width
};

// The mean of at least two values and its confidence interval by Student's t, which holds for
// values that are independent and about normally distributed; confidence between 0 and 1. Fewer
// values have no interval: throws std::invalid_argument.
MeanInterval mean_interval(std::span<const double> values, double confidence);

}  // namespace tailgate
