// What a soak looks at over time: one series for each figure, in parts where it was resumed.
#pragma once

#include <string>
#include <vector>

#include "harness/result/result.h"
#include "harness/stats/trend.h"

namespace tailgate {

enum class SoakUnit { time_ns, bytes, descriptors };

struct SoakSeries {
  std::string name;   // of its figures, the unit last
  std::string words;  // for people
  SoakUnit unit = SoakUnit::time_ns;
  bool judged = true;                     // whether it should not drift upward; files of a log grow
  std::vector<std::vector<Point>> parts;  // by hours since the part's recording began
  std::optional<Trend> trend = {};        // nothing: there are too few points

  // The median of all points; 0 without any.
  double level() const;
};

// The hours that were recorded.
double soak_hours(const Result& result);

// The series of all trials, without those that the trials do not have. Percentiles are there only
// if each of their points has calls beyond it.
std::vector<SoakSeries> soak_series(const Result& result);

// Whether it clearly rises: so much that it matters, and with so small a p that of all judged
// series together one in twenty soaks without a drift has any.
bool drifts_upward(const SoakSeries& series, std::size_t judged, double hours);

// The probability of what was seen, up or down, if nothing drifts.
double p_of(const SoakSeries& series);

}  // namespace tailgate
