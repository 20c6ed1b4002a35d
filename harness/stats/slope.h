// The straight line through points by least squares. Pure functions.
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

// The point whose coordinates are the points' means. At least one point.
Point centre_of(std::span<const Point> points);

// Of the line through `through` that is nearest by least squares. Nothing if all points have its x.
std::optional<double> slope_through(const Point& through, std::span<const Point> points);

// By least squares; the interval by Student's t with n - 2 degrees of freedom, which holds for
// errors of y that are independent and about normally distributed (any textbook, e.g. Draper and
// Smith, Applied Regression Analysis, 1.4). Nothing for fewer than three points, or if all have one
// x. confidence: between 0 and 1.
std::optional<Slope> slope_of(std::span<const Point> points, double confidence);

}  // namespace tailgate
