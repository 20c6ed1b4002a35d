#include "harness/stats/quantile_interval.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "harness/stats/distributions.h"

namespace tailgate {
namespace {

// P(fewer than k of n values fall below a quantile p), k from 1 to n.
double fewer_than(std::size_t k, std::size_t n, double p) {
  return binomial_at_most(k - 1, n, p);
}

double interpolated(const std::vector<double>& ordered, double p) {
  const double place = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  const double weight = place - static_cast<double>(below);
  return ordered[below] + weight * (ordered[above] - ordered[below]);
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> ordered(values.begin(), values.end());
  std::sort(ordered.begin(), ordered.end());
  return ordered;
}

}  // namespace

QuantileInterval quantile_interval(std::span<const double> values, double p, double confidence) {
  if (values.empty() || !(p > 0 && p < 1 && confidence > 0 && confidence < 1)) {
    throw std::invalid_argument(
        "quantile_interval: a value or more, p and confidence between 0 and 1");
  }
  const std::vector<double> ordered = sorted(values);
  const std::size_t count = ordered.size();
  const double tail = (1 - confidence) / 2;
  QuantileInterval interval{interpolated(ordered, p), {}, {}};
  // The quantile lies below the k-th value when fewer than k values fall below it.
  for (std::size_t k = 1; k <= count && fewer_than(k, count, p) <= tail; ++k) {
    interval.low = ordered[k - 1];
  }
  for (std::size_t k = count; k >= 1 && 1 - fewer_than(k, count, p) <= tail; --k) {
    interval.high = ordered[k - 1];
  }
  return interval;
}

double median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("median: a value or more");
  return interpolated(sorted(values), 0.5);
}

}  // namespace tailgate
