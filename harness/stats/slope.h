// The straight line through points, and how well they tell its slope. A pure function.
#pragma once

#include <optional>
#include <span>

namespace tailgate {

struct Point {
  double x = 0;
  double y = 0;
};

struct Slope {
  double slope = 0;  // of y by x
  double low = 0;    // its confidence interval
  double high = 0;
};

// By least squares; the interval by Student's t with n - 2 degrees of freedom, which holds for
// errors of y that are independent and about normally distributed (any textbook, e.g. Draper and
// Smith, Applied Regression Analysis, 1.4). Nothing for fewer than three points, or if all have one
// x. confidence: between 0 and 1.
std::optional<Slope> slope_of(std::span<const Point> points, double confidence);

}  // namespace tailgate
