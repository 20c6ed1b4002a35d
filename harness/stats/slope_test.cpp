#include "harness/stats/slope.h"

#include <catch2/catch.hpp>
#include <vector>

namespace tailgate {
namespace {

// F. J. Anscombe, "Graphs in Statistical Analysis", The American Statistician 27 (1973), his first
// set; there the slope is 0.5 with a standard error of 0.118.
const std::vector<Point> kAnscombe = {{10, 8.04},  {8, 6.95},  {13, 7.58}, {9, 8.81},
                                      {11, 8.33},  {14, 9.96}, {6, 7.24},  {4, 4.26},
                                      {12, 10.84}, {7, 4.82},  {5, 5.68}};

TEST_CASE("a slope and its interval are those of Anscombe's first set") {
  const auto line = slope_of(kAnscombe, 0.95);
  REQUIRE(line);
  CHECK(line->slope == Approx(0.5001).margin(5e-5));
  // 2.262 is the 0.975 quantile of Student's t with 9 degrees of freedom.
  CHECK(line->high - line->slope == Approx(2.262 * 0.1179).margin(2e-4));
  CHECK(line->slope - line->low == Approx(2.262 * 0.1179).margin(2e-4));
}

TEST_CASE("a slope of points on a line is exact") {
  const std::vector<Point> points = {{1, 10}, {2, 13}, {4, 19}, {4, 19}};
  const auto line = slope_of(points, 0.95);
  REQUIRE(line);
  CHECK(line->slope == Approx(3));
  CHECK(line->high - line->low == Approx(0).margin(1e-9));
}

TEST_CASE("a line through a given point is the nearest one by least squares") {
  // By hand: (1 * 3 + 2 * 3 + 3 * 9) / (1 + 4 + 9), from the point (1, 10).
  const std::vector<Point> points = {{2, 13}, {3, 13}, {4, 19}};
  CHECK(slope_through({1, 10}, points).value() == Approx(36.0 / 14));
  const Point centre = centre_of(points);
  CHECK(centre.x == Approx(3));
  CHECK(centre.y == Approx(15));
  CHECK(slope_through(centre, points).value() == Approx(3));
  CHECK_FALSE(slope_through({2, 0}, std::vector<Point>{{2, 13}}));
}

TEST_CASE("a slope takes three points with two places") {
  CHECK_FALSE(slope_of(std::vector<Point>{{1, 2}, {2, 3}}, 0.95));
  CHECK_FALSE(slope_of(std::vector<Point>{{1, 2}, {1, 3}, {1, 4}}, 0.95));
}

}  // namespace
}  // namespace tailgate
