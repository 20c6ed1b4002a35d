// How well a sample tells a quantile of what it was drawn from. A pure function.
#pragma once

#include <optional>
#include <span>

namespace tailgate {

struct QuantileInterval {
  double estimate = 0;        // of the sample
  std::optional<double> low;  // absent: the sample is too small to bound it on that side
  std::optional<double> high;
};

// The p-quantile of values that are independent and of one distribution, and an interval between
// two of the ordered values that holds the distribution's quantile with at least `confidence`,
// whatever the distribution: fewer than k values lie below the quantile with a binomial probability
// (e.g. Conover, Practical Nonparametric Statistics, "Confidence interval for a quantile"). Half of
// what may be missed goes to each side. The estimate interpolates linearly between the ordered
// values at p (n - 1), so that of an even number the median is the mean of the middle two.
// 0 < p < 1, 0 < confidence < 1, at least one value. Throws std::invalid_argument.
QuantileInterval quantile_interval(std::span<const double> values, double p, double confidence);

// quantile_interval's estimate for p = 0.5.
double median(std::span<const double> values);

}  // namespace tailgate
