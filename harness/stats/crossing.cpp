#include "harness/stats/crossing.h"

namespace tailgate {

Crossing first_crossing(std::span<const CurvePoint> points, double level) {
  if (points.empty()) return {};
  if (points.front().y >= level) return {Crossing::Kind::at_first, points.front().x};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const CurvePoint& below = points[i - 1];
    const CurvePoint& above = points[i];
    if (above.y < level) continue;
    const double share = (level - below.y) / (above.y - below.y);
    return {Crossing::Kind::at, below.x + share * (above.x - below.x)};
  }
  return {Crossing::Kind::none, points.back().x};
}

}  // namespace tailgate
