#include "harness/stats/trial_interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/stats/distributions.h"
#include "harness/stats/mean_interval.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

// Whether the median of so many values has an interval: all of them may lie on one side of it.
bool bounds_median(std::size_t values, double confidence) {
  return std::pow(0.5, static_cast<double>(values)) <= (1 - confidence) / 2;
}

}  // namespace

std::optional<TrialInterval> trial_interval(std::span<const double> values, double confidence) {
  if (values.size() < 2) return {};
  if (bounds_median(values.size(), confidence)) {
    const QuantileInterval interval = quantile_interval(values, 0.5, confidence);
    if (interval.low && interval.high) {
      return TrialInterval{interval.estimate, *interval.low, *interval.high, true};
    }
  }
  const MeanInterval interval = mean_interval(values, confidence);
  return TrialInterval{interval.mean, interval.mean - interval.half_width,
                       interval.mean + interval.half_width, false};
}

std::optional<std::size_t> trials_to_decide(std::span<const double> values, double limit,
                                            double confidence) {
  const std::optional<TrialInterval> now = trial_interval(values, confidence);
  if (!now) return {};
  const auto count = static_cast<double>(values.size());
  const double deviation = mean_interval(values, confidence).half_width * std::sqrt(count) /
                           student_t_quantile(0.5 + confidence / 2, count - 1);
  const double distance = std::abs(now->estimate - limit);
  if (!(distance > 0) || !std::isfinite(deviation)) return {};
  for (std::size_t more = values.size() + 1; more <= kMostTrials; ++more) {
    const auto total = static_cast<double>(more);
    const double spread = deviation / std::sqrt(total) *
                          (bounds_median(more, confidence) ? std::sqrt(std::numbers::pi / 2) : 1);
    if (student_t_quantile(0.5 + confidence / 2, total - 1) * spread < distance) return more;
  }
  return {};
}

}  // namespace tailgate
