#include "harness/stats/mean_interval.h"

#include <cmath>
#include <stdexcept>

#include "harness/stats/distributions.h"

namespace tailgate {

MeanInterval mean_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) throw std::invalid_argument("mean_interval: two values or more");
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double standard_error = std::sqrt(squares / (count - 1) / count);
  return {mean, student_t_quantile(0.5 + confidence / 2, count - 1) * standard_error};
}

}  // namespace tailgate
