#include "harness/stats/crossing.h"

#include <catch2/catch.hpp>
#include <vector>

namespace tailgate {
namespace {

using Kind = Crossing::Kind;

Crossing at_five(const std::vector<CurvePoint>& points) {
  return first_crossing(points, 5);
}

TEST_CASE("a line reaches a level where algebra says") {
  // y = x / 1000, seen at three points.
  const Crossing crossing = at_five({{1000, 1}, {4000, 4}, {10'000, 10}});
  CHECK(crossing.kind == Kind::at);
  CHECK(crossing.x == Approx(5000));
  CHECK(at_five({{1, 0}, {2, 5}}).x == Approx(2));
}

TEST_CASE("the first of several crossings counts") {
  CHECK(at_five({{0, 0}, {10, 10}, {20, 0}, {30, 10}}).x == Approx(5));
}

TEST_CASE("a level that is not reached, or reached from the start, is told apart") {
  const Crossing never = at_five({{1000, 1}, {3000, 4.9}});
  CHECK(never.kind == Kind::none);
  CHECK(never.x == 3000);
  const Crossing before = at_five({{1000, 6}, {3000, 9}});
  CHECK(before.kind == Kind::at_first);
  CHECK(before.x == 1000);
  CHECK(at_five({}).kind == Kind::none);
}

}  // namespace
}  // namespace tailgate
