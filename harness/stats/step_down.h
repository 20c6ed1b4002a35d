// P values from the statistics of all relabellings of the same data, for one metric and for the
// worst of many. Pure functions. sign_flip.h and rank_sum.h make the relabellings.
#pragma once

#include <vector>

namespace tailgate {

// The share of the statistics that are at least, or at most, `bound`. Those that differ from it by
// rounding alone count as equal.
double share_at_least(const std::vector<double>& statistics, double bound);
double share_at_most(const std::vector<double>& statistics, double bound);

// statistics[metric][relabelling], the first relabelling being the data as observed; all metrics
// were relabelled together. Returns a p value for each metric that holds for all of them together:
// the step-down by the largest statistic (Westfall and Young, Resampling-Based Multiple Testing,
// 1993).
std::vector<double> step_down(const std::vector<std::vector<double>>& statistics);

}  // namespace tailgate
