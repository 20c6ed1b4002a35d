// What a user asks for: a figure by its name, or a figure of a whole distribution.
//
//   lost_events                       a figure
//   response_ns_p99.9, ..._p99_9      a percentile of the distribution response_ns
//   response_ns_min, _max, _mean, _count
#pragma once

#include <optional>
#include <string>

#include "harness/histogram/histogram.h"

namespace tailgate::history {

// What is asked of a distribution.
struct DistributionFigure {
  enum class What { quantile, min, max, mean, count };
  What what = What::quantile;
  double quantile = 0;  // 0 to 1
};

struct Metric {
  std::string name;          // as given
  std::string distribution;  // its name, where the name may ask for a figure of one
  std::optional<DistributionFigure> figure;

  // Whether a figure has this name; "p99.9" may be written "p99_9".
  bool is_figure(const std::string& figure_name) const;
};

Metric parse_metric(const std::string& name);

double figure_of(const Histogram& histogram, const DistributionFigure& figure);

}  // namespace tailgate::history
