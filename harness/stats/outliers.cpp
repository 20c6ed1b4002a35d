#include "harness/stats/outliers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/stats/distributions.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// A median absolute deviation is so much of a standard deviation, of normal values.
constexpr double kShareOfMad = 0.6745;
// It tells the standard deviation as well as 37 % as many values would by their squares (Rousseeuw
// and Croux, Journal of the American Statistical Association 88, 1993).
constexpr double kMadEfficiency = 0.37;
// The tails are taken for those of as many degrees at most: measured times have heavier ones than
// normal values.
constexpr double kMostDegrees = 12;

}  // namespace

double deviation_of_sizes(std::vector<double> sizes) {
  return median(std::move(sizes)) / kShareOfMad;
}

double robust_deviation(std::span<const double> values) {
  const double centre = median(values);
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value - centre));
  return deviation_of_sizes(std::move(sizes));
}

std::vector<double> robust_distances(std::span<const double> values, double least_deviation) {
  const double centre = median(values);
  const double deviation = std::max(robust_deviation(values), least_deviation);
  std::vector<double> distances;
  for (const double value : values) distances.push_back((value - centre) / deviation);
  return distances;
}

double outlier_limit(std::size_t count, double comparisons, double false_share) {
  const double degrees =
      std::clamp(kMadEfficiency * static_cast<double>(count - 1), 1.0, kMostDegrees);
  return student_t_quantile(1 - false_share / comparisons / 2, degrees);
}

}  // namespace tailgate
