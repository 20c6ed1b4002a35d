#include "harness/gate/quiet_rounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "harness/stats/quantile_interval.h"

namespace tailgate {

std::vector<bool> quiet_rounds(const std::vector<double>& shares, double most) {
  std::vector<bool> quiet;
  std::vector<double> so_far;
  for (const double share : shares) {
    if (!std::isnan(share)) so_far.push_back(share);
    quiet.push_back(!(share > most) || share <= median(so_far));
  }
  return quiet;
}

void keep_quiet(const std::vector<bool>& quiet, MetricSeries& series) {
  for (std::size_t i = 0; i < std::min(quiet.size(), series.a.size()); ++i) {
    if (quiet[i]) continue;
    series.a[i] = std::numeric_limits<double>::quiet_NaN();
    series.b[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace tailgate
