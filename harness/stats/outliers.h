// Which of several equals is not like the others. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tailgate {

// The standard deviation of normal values whose sizes, their distances from their centre, have this
// median.
double deviation_of_sizes(std::vector<double> sizes);

// The same of values, by their median absolute deviation from their median. At least one.
double robust_deviation(std::span<const double> values);

// How far each value is from their median, in standard deviations that the median absolute
// deviation gives, so that the outliers themselves move neither. least_deviation: what rounding
// alone may make of equal values. At least one value.
std::vector<double> robust_distances(std::span<const double> values, double least_deviation);

// The distance that none of `count` equals exceeds, on either side, with a probability of
// 1 - false_share in all of so many comparisons of one value each. It allows for tails that are
// heavier than normal ones, and is larger where there are few values. count: 2 or more.
double outlier_limit(std::size_t count, double comparisons, double false_share);

}  // namespace tailgate
