// How well a few trials tell a mean. Pure functions.
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

// The value that Student's t with `degrees` > 0 degrees of freedom stays below with probability
// p, 0 < p < 1. Throws std::invalid_argument.
double student_t_quantile(double p, double degrees);

// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and 0 <= x <= 1; NIST DLMF
// 8.17. To about 1e-14.
double incomplete_beta(double x, double a, double b);

}  // namespace tailgate
