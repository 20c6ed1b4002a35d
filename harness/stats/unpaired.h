// Decides on two groups that are not paired, at one analysis of all values. Pure functions.
//
// As in sequential.h, failing needs two rejections at the same level: of "the shift is within the
// margin", and of "there is no shift". When the groups do not differ, the second is exact by
// itself, so a false fail has at most the probability `fail_level`. Passing needs every metric to
// reject "the shift is at the margin or beyond" (intersection-union).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/stats/rank_sum.h"
#include "harness/stats/sequential.h"

namespace tailgate {

struct UnpairedMetric {
  TwoGroups values;   // greater is worse
  double margin = 0;  // the shift of B that is tolerated
};

struct UnpairedLevels {
  double fail_level = 0;  // of all metrics together; above 0
  double pass_level = 0;  // above 0
  std::uint64_t seed = 1;
};

// The decision on each metric. All metrics have the same numbers of values. Throws
// std::invalid_argument.
std::vector<MetricDecision> decide_unpaired(const std::vector<UnpairedMetric>& metrics,
                                            const UnpairedLevels& levels);

// The fewest values in each of two equal groups with which the test can reject at this level at
// all: of n and n values, the most extreme relabelling is one of (2n)! / (n! n!).
std::size_t fewest_values(double level);

// Whether groups of these sizes can.
bool can_reject(std::size_t a, std::size_t b, double level);

}  // namespace tailgate
