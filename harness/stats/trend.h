// Whether a series drifts: a test that asks for no particular shape of the drift or of the noise,
// and the slope with its interval. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/slope.h"

namespace tailgate {

// What a test for a trend needs at least. With fewer points its statistic is not normal.
inline constexpr std::size_t kLeastTrendPoints = 10;

struct Trend {
  std::size_t points = 0;
  double score = 0;        // pairs of points that rise, minus pairs that fall
  double variance = 0;     // of the score, where nothing drifts
  double correlation = 1;  // the variance, divided by that of independent points
  double p = 1;            // probability of a score at least this far from 0 if nothing drifts
  double step_p =
      1;        // probability of at least so many steps in one direction if both are as likely
  Slope slope;  // of y by x, and its confidence interval
};

// The test of Mann and Kendall: points that drift upward have more pairs that rise than pairs that
// fall (M. G. Kendall, Rank Correlation Methods, 1975). The variance allows for equal values, and
// for points that resemble their neighbours (S. Yue and C. Y. Wang, The Mann-Kendall test modified
// by effective sample size, Water Resources Management 18, 2004: by the correlation of neighbours'
// ranks beside the slope, here with its bias removed as P. Shaman and R. A. Stine, JASA 83, 1988,
// give it). It is never taken to be smaller than that of independent points. p is two-sided, from
// the normal distribution, with the correction for a score that has whole steps. Of noise without a
// trend, at a p of 0.05, 5 in 100 series are said to drift if points are independent, 6 if half of
// a point's noise stays to the next one, and 10 if four fifths do (series of 40 points).
//
// step_p is for levels that keep what was added to them, such as memory, whose noise therefore
// looks like a drift: the sign test of the steps from one point to the next, without those of zero.
// p is for figures that scatter around a level.
//
// The slope is the median of those of all pairs (H. Theil, 1950; P. K. Sen, Estimates of the
// regression coefficient based on Kendall's tau, JASA 63, 1968), the interval by the same variance.
//
// blocks: the points of each by ascending x. Pairs are of one block only, as in the seasonal test
// of R. M. Hirsch, J. R. Slack and R. A. Smith (Water Resources Research 18, 1982), so that a level
// which changes from block to block plays no part. Nothing for fewer than kLeastTrendPoints points
// in blocks of at least three, or if x does not ascend. confidence: between 0 and 1. The time grows
// with the square of the number of points.
std::optional<Trend> trend_of(std::span<const std::vector<Point>> blocks, double confidence);

}  // namespace tailgate
