// A chart of one figure, a value a night: when did its level change? A pure function and its state,
// which is as large after ten years as after eight weeks, so that a night costs the same however
// long the history is.
//
// After each night every place among the last nights is tried at which the level may have changed:
// the statistic is the difference of the mean after it and the mean before it, in standard
// deviations of that difference. The largest one counts (a likelihood ratio in a moving window:
// Willsky and Jones, IEEE Transactions on Automatic Control 21, 1976). Three things are done to
// stay right with values that are not ideal:
//
// - The variance is of differences between successive nights (von Neumann, Annals of Mathematical
//   Statistics 12, 1941), which neither a step nor a creep enlarges, and the limit is Student's t
//   of the nights that it was estimated from.
// - Values far from the median count as less far, so that one wild night moves no mean much.
// - A change must last: three nights lie beyond the middle of both levels, the last night and
//   another of the last three among them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tailgate {

// The nights among which a change is looked for.
inline constexpr std::size_t kChartWindow = 56;

struct ChartSettings {
  // Probability with which a statistic exceeds the limit at one place where nothing changed. Over
  // all places and nights it is higher: harness/history/SIMULATION.md has the measured rate.
  double level = 5e-6;
  double least_change = 0.02;  // smaller ones are not reported, however certain
  // A standard deviation below this is that of values rounded to a histogram's resolution.
  double least_deviation = 0.002;
  std::size_t first_nights = 10;  // of a chart, before which its variance is not known
  std::size_t level_nights = 3;   // that a level has at least
};

// What a chart remembers.
struct ChartState {
  std::vector<double> window;  // the last nights of the present level, the oldest first
  double older_nights = 0;     // nights of this level that are older
  double older_mean = 0;       // their mean
  double variance = 0;         // of a night's value around its level
  double differences = 0;      // between nights, that it was estimated from

  bool operator==(const ChartState&) const = default;
};

// A change of the level. Nights are counted back from the last: the change came before the last
// `nights_after` of them, and a place between `fewest_after` and `most_after` is likely as well.
struct LevelChange {
  std::size_t nights_after = 0;
  std::size_t fewest_after = 0;
  std::size_t most_after = 0;
  double before = 0;  // the levels
  double after = 0;
  double statistic = 0;   // above 0: the level rose
  bool is_creep = false;  // a slope since some night explains the values better than a step

  double change() const { return after - before; }
};

// Adds the value of the next night. Returns the change that is certain with this night; the
// present level then begins with it. value: finite.
std::optional<LevelChange> add_night(ChartState& state, double value,
                                     const ChartSettings& settings = {});

// The mean of the last nights, five at most. The state has had a night or more.
double recent_level(const ChartState& state);

}  // namespace tailgate
