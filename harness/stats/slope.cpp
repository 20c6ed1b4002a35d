#include "harness/stats/slope.h"

#include <cmath>

#include "harness/stats/distributions.h"

namespace tailgate {

std::optional<Slope> slope_of(std::span<const Point> points, double confidence) {
  if (points.size() < 3) return std::nullopt;
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const Point& point : points) {
    mean_x += point.x / count;
    mean_y += point.y / count;
  }
  double sum_xx = 0;
  double sum_xy = 0;
  for (const Point& point : points) {
    sum_xx += (point.x - mean_x) * (point.x - mean_x);
    sum_xy += (point.x - mean_x) * (point.y - mean_y);
  }
  if (sum_xx <= 0) return std::nullopt;
  const double slope = sum_xy / sum_xx;
  double squares = 0;  // of what the line leaves
  for (const Point& point : points) {
    const double left = point.y - mean_y - slope * (point.x - mean_x);
    squares += left * left;
  }
  const double degrees = count - 2;
  const double half_width =
      student_t_quantile((1 + confidence) / 2, degrees) * std::sqrt(squares / degrees / sum_xx);
  return Slope{.slope = slope, .low = slope - half_width, .high = slope + half_width};
}

}  // namespace tailgate
