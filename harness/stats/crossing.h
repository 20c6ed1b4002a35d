// Where a measured curve reaches a level. A pure function.
#pragma once

#include <span>

namespace tailgate {

struct CurvePoint {
  double x = 0;
  double y = 0;
};

struct Crossing {
  enum class Kind {
    none,      // no point reaches the level
    at,        // between two points, or at one
    at_first,  // the first point is at the level or above it: the curve reached it before, or there
  };
  Kind kind = Kind::none;
  double x = 0;  // at: where the straight line between the points reaches it; else the last (none)
                 // or first (at_first) point's x; 0 without points
};

// Where the points, in rising order of x, first reach y >= level.
Crossing first_crossing(std::span<const CurvePoint> points, double level);

}  // namespace tailgate
