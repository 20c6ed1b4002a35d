#include "harness/stats/slope.h"

#include <cmath>

#include "harness/stats/distributions.h"

namespace tailgate {
namespace {

double sum_xx(const Point& from, std::span<const Point> points) {
  double sum = 0;
  for (const Point& point : points) sum += (point.x - from.x) * (point.x - from.x);
  return sum;
}

}  // namespace

Point centre_of(std::span<const Point> points) {
  const auto count = static_cast<double>(points.size());
  Point centre;
  for (const Point& point : points) {
    centre.x += point.x / count;
    centre.y += point.y / count;
  }
  return centre;
}

std::optional<double> slope_through(const Point& through, std::span<const Point> points) {
  double sum_xy = 0;
  for (const Point& point : points) sum_xy += (point.x - through.x) * (point.y - through.y);
  const double squares = sum_xx(through, points);
  if (squares <= 0) return std::nullopt;
  return sum_xy / squares;
}

std::optional<Slope> slope_of(std::span<const Point> points, double confidence) {
  if (points.size() < 3) return std::nullopt;
  const Point centre = centre_of(points);
  const std::optional<double> slope = slope_through(centre, points);
  if (!slope) return std::nullopt;
  double squares = 0;  // of what the line leaves
  for (const Point& point : points) {
    const double left = point.y - centre.y - *slope * (point.x - centre.x);
    squares += left * left;
  }
  const double degrees = static_cast<double>(points.size()) - 2;
  const double half_width = student_t_quantile((1 + confidence) / 2, degrees) *
                            std::sqrt(squares / degrees / sum_xx(centre, points));
  return Slope{.slope = *slope, .low = *slope - half_width, .high = *slope + half_width};
}

}  // namespace tailgate
