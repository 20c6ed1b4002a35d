#include "harness/stats/night_chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/stats/distributions.h"
#include "harness/stats/quantile_interval.h"

namespace tailgate {
namespace {

using Values = std::vector<double>;

// Values count as no further from the median than this many standard deviations, and differences
// between nights as no larger than so many of theirs.
constexpr double kFarthestValue = 8;
constexpr double kFarthestDifference = 3;
// The variance is estimated from the differences of as many nights; older ones are forgotten.
constexpr double kMostDifferences = 90;
// The mean of squared differences varies like that of 2/3 as many squared deviations (von Neumann).
constexpr double kDegreesPerDifference = 2.0 / 3;
// A median absolute difference is so much of a standard deviation, of normal values.
constexpr double kMedianShare = 0.6745;
// Places whose squared statistic is less than this below the largest are likely as well.
constexpr double kLikelyPlaces = 4;
constexpr std::size_t kLastNights = 3;
constexpr std::size_t kRecentNights = 5;
constexpr std::size_t kLeastCreepNights = 10;

double deviation_of(const ChartState& state, const ChartSettings& settings) {
  return std::max(std::sqrt(state.variance), settings.least_deviation);
}

double limited(double value, double centre, double reach) {
  return std::clamp(value, centre - reach, centre + reach);
}

// Estimates the variance from the first nights, of which the wildest must not count in full.
void estimate_variance(ChartState& state, const ChartSettings& settings) {
  Values sizes;
  for (std::size_t i = 1; i < state.window.size(); ++i) {
    sizes.push_back(std::abs(state.window[i] - state.window[i - 1]));
  }
  const double usual =
      std::max(median(sizes) / kMedianShare, settings.least_deviation * std::sqrt(2.0));
  double sum = 0;
  for (const double size : sizes) {
    const double counted = std::min(size, kFarthestDifference * usual);
    sum += counted * counted / 2;
  }
  state.differences = static_cast<double>(sizes.size());
  state.variance = sum / state.differences;
}

// After the window got its last value.
void update_variance(ChartState& state, const ChartSettings& settings) {
  const std::size_t count = state.window.size();
  if (count < 2) return;
  // As long as no night has left the window, the variance is estimated from the window alone.
  const bool has_all = state.older_nights == 0 && state.differences < static_cast<double>(count);
  if (has_all) return estimate_variance(state, settings);
  const double most = kFarthestDifference * std::sqrt(2.0) * deviation_of(state, settings);
  const double size = std::min(std::abs(state.window[count - 1] - state.window[count - 2]), most);
  state.differences = std::min(state.differences + 1, kMostDifferences);
  state.variance += (size * size / 2 - state.variance) / state.differences;
}

double mean_of_last(const Values& values, std::size_t count) {
  return std::accumulate(values.end() - static_cast<std::ptrdiff_t>(count), values.end(), 0.0) /
         static_cast<double>(count);
}

double median_of_last(const Values& values, std::size_t count) {
  return median(Values(values.end() - static_cast<std::ptrdiff_t>(count), values.end()));
}

Values limited_window(const ChartState& state, const ChartSettings& settings) {
  const double centre = median(state.window);
  Values values = state.window;
  for (double& value : values) {
    value = limited(value, centre, kFarthestValue * deviation_of(state, settings));
  }
  return values;
}

// What a split of the nights says.
struct Split {
  std::size_t nights_after;
  double before;     // mean
  double statistic;  // of the difference of the means
};

std::vector<Split> splits_of(const ChartState& state, const Values& values,
                             const ChartSettings& settings) {
  std::vector<Split> splits;
  const double nights = state.older_nights + static_cast<double>(values.size());
  const double sum =
      std::accumulate(values.begin(), values.end(), 0.0) + state.older_nights * state.older_mean;
  double sum_after = 0;
  for (std::size_t after = 1; after <= values.size(); ++after) {
    sum_after += values[values.size() - after];
    const double before = nights - static_cast<double>(after);
    if (after < settings.level_nights) continue;
    if (before < static_cast<double>(settings.level_nights)) break;
    const double mean_before = (sum - sum_after) / before;
    const double difference = sum_after / static_cast<double>(after) - mean_before;
    const double error =
        deviation_of(state, settings) * std::sqrt(1 / static_cast<double>(after) + 1 / before);
    splits.push_back({after, mean_before, difference / error});
  }
  return splits;
}

// The sum of squares that is left when a figure explains the values, which are in order of nights.
// older: their number, the figure being 0 for them.
double unexplained(const Values& values, const Values& figure, double older, double older_mean) {
  const double count = older + static_cast<double>(values.size());
  const double mean =
      (std::accumulate(values.begin(), values.end(), 0.0) + older * older_mean) / count;
  const double figure_mean = std::accumulate(figure.begin(), figure.end(), 0.0) / count;
  double squares = older * (older_mean - mean) * (older_mean - mean);
  double figure_squares = older * figure_mean * figure_mean;
  double products = -older * (older_mean - mean) * figure_mean;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    figure_squares += (figure[i] - figure_mean) * (figure[i] - figure_mean);
    products += (values[i] - mean) * (figure[i] - figure_mean);
  }
  return figure_squares > 0 ? squares - products * products / figure_squares : squares;
}

bool is_creep(const ChartState& state, const Values& values, std::size_t nights_after) {
  const std::size_t count = values.size();
  const auto left = [&](const auto& figure_after) {
    Values figure(count, 0);
    for (std::size_t i = 0; i < count; ++i) figure[i] = figure_after(i);
    return unexplained(values, figure, state.older_nights, state.older_mean);
  };
  const double of_step = left([&](std::size_t i) { return i + nights_after >= count ? 1.0 : 0.0; });
  for (std::size_t nights = kLeastCreepNights; nights <= count; ++nights) {
    const double of_slope = left([&](std::size_t i) {
      return i + nights >= count ? static_cast<double>(i + nights - count + 1) : 0.0;
    });
    if (of_slope < of_step) return true;
  }
  return false;
}

// Whether enough nights are on the side of the new level, the last and most of the last among them.
bool lasts(const Values& window, const LevelChange& change, std::size_t enough) {
  const auto is_beyond = [&](double value) {
    return (value - (change.before + change.after) / 2) * change.change() > 0;
  };
  const auto first = window.end() - static_cast<std::ptrdiff_t>(change.nights_after);
  const auto beyond = static_cast<std::size_t>(std::count_if(first, window.end(), is_beyond));
  return beyond >= enough && is_beyond(window.back()) &&
         is_beyond(median_of_last(window, std::min(kLastNights, window.size())));
}

std::optional<LevelChange> find_change(const ChartState& state, const ChartSettings& settings) {
  if (state.differences + 1 < static_cast<double>(settings.first_nights)) return {};
  const Values values = limited_window(state, settings);
  const std::vector<Split> splits = splits_of(state, values, settings);
  if (splits.empty()) return {};
  const auto best = std::max_element(
      splits.begin(), splits.end(),
      [](const Split& a, const Split& b) { return std::abs(a.statistic) < std::abs(b.statistic); });
  LevelChange change{best->nights_after, best->nights_after, best->nights_after};
  change.before = best->before;
  change.after = median_of_last(state.window, best->nights_after);
  change.statistic = best->statistic;
  if (std::abs(change.change()) < settings.least_change) return {};
  if (!lasts(state.window, change, settings.level_nights)) return {};
  const double limit =
      student_t_quantile(1 - settings.level / 2, state.differences * kDegreesPerDifference);
  if (std::abs(best->statistic) < limit) return {};
  for (const Split& split : splits) {
    const bool likely =
        split.statistic * best->statistic > 0 &&
        best->statistic * best->statistic - split.statistic * split.statistic < kLikelyPlaces;
    if (!likely) continue;
    change.fewest_after = std::min(change.fewest_after, split.nights_after);
    change.most_after = std::max(change.most_after, split.nights_after);
  }
  change.is_creep = is_creep(state, values, best->nights_after);
  return change;
}

void forget_oldest(ChartState& state, const ChartSettings& settings) {
  const double centre = median(state.window);
  const double reach = kFarthestValue * deviation_of(state, settings);
  const double value = limited(state.window.front(), centre, reach);
  state.older_nights += 1;
  state.older_mean += (value - state.older_mean) / state.older_nights;
  state.window.erase(state.window.begin());
}

}  // namespace

std::optional<LevelChange> add_night(ChartState& state, double value,
                                     const ChartSettings& settings) {
  state.window.push_back(value);
  update_variance(state, settings);
  const std::optional<LevelChange> change = find_change(state, settings);
  if (change) {
    state.window.erase(state.window.begin(),
                       state.window.end() - static_cast<std::ptrdiff_t>(change->nights_after));
    state.older_nights = 0;
    state.older_mean = 0;
  } else if (state.window.size() > kChartWindow) {
    forget_oldest(state, settings);
  }
  return change;
}

double recent_level(const ChartState& state) {
  return mean_of_last(state.window, std::min(kRecentNights, state.window.size()));
}

}  // namespace tailgate
