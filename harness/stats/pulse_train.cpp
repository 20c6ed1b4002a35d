#include "harness/stats/pulse_train.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/stats/quantile_interval.h"
#include "harness/stats/slope.h"

namespace tailgate {
namespace {

constexpr double kMinPeriods = 20;
constexpr double kMinShare = 0.6;          // of the periods must have a pulse …
constexpr double kMinTimesChance = 4;      // … and so many times as many as by chance
constexpr double kMostDeviations = 4;      // of a pulse from the line; what is farther is none
constexpr double kSdOfDeviation = 1.4826;  // of a normal distribution, by its median deviation

struct Folded {
  double phase = 0;         // within the period, from the search's begin
  std::int64_t number = 0;  // of the period
};

std::vector<Folded> fold(std::span<const double> instants, double begin, double period) {
  std::vector<Folded> folded;
  for (const double instant : instants) {
    const double number = std::floor((instant - begin) / period);
    folded.push_back({instant - begin - number * period, static_cast<std::int64_t>(number)});
  }
  std::sort(folded.begin(), folded.end(),
            [](const Folded& a, const Folded& b) { return a.phase < b.phase; });
  return folded;
}

struct Window {
  double phase = 0;
  std::size_t periods = 0;  // that have an instant in it
};

// Returns the window of phases in which most periods have an instant. It may go around the period's
// end.
Window fullest_window(std::vector<Folded> folded, const PulseSearch& search, double period) {
  const std::size_t count = folded.size();
  for (std::size_t i = 0; i < count && folded[i].phase < search.width; ++i) {
    folded.push_back({folded[i].phase + period, folded[i].number - 1});
  }
  Window fullest;
  std::map<std::int64_t, int> instants;  // by period
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < count; ++begin) {
    for (; end < folded.size() && folded[end].phase <= folded[begin].phase + search.width; ++end) {
      ++instants[folded[end].number];
    }
    if (instants.size() > fullest.periods) fullest = {folded[begin].phase, instants.size()};
    const auto leaves = instants.find(folded[begin].number);
    if (--leaves->second == 0) instants.erase(leaves);
  }
  return fullest;
}

// Returns the first instant of each period that lies in the window, by the period's number.
std::vector<Point> pulses_in(const Window& window, std::span<const double> instants,
                             const PulseSearch& search, double period) {
  std::vector<Point> pulses;
  const double middle = search.begin + window.phase + search.width / 2;
  for (const double instant : instants) {
    const double number = std::round((instant - middle) / period);
    if (std::abs(instant - middle - number * period) > search.width / 2) continue;
    if (pulses.empty() || pulses.back().x < number) pulses.push_back({number, instant});
  }
  return pulses;
}

std::vector<double> deviations(std::span<const Point> pulses, const Point& centre, double slope) {
  std::vector<double> all;
  for (const Point& pulse : pulses) {
    all.push_back(std::abs(pulse.y - centre.y - slope * (pulse.x - centre.x)));
  }
  return all;
}

// Without those that lie far from the line through all.
std::vector<Point> without_strangers(const std::vector<Point>& pulses) {
  const Point centre = centre_of(pulses);
  const std::vector<double> all =
      deviations(pulses, centre, slope_through(centre, pulses).value_or(0));
  const double most = kMostDeviations * kSdOfDeviation * median(all);
  std::vector<Point> near;
  for (std::size_t i = 0; i < pulses.size(); ++i) {
    if (all[i] <= most) near.push_back(pulses[i]);
  }
  return near;
}

std::optional<PulseTrain> train_through(const std::vector<Point>& pulses) {
  const std::optional<Slope> slope = slope_of(pulses, 0.99);
  if (!slope) return std::nullopt;
  const Point centre = centre_of(pulses);
  const std::vector<double> off = deviations(pulses, centre, slope->slope);
  return PulseTrain{.period = slope->slope,
                    .at = centre.y + slope->slope * (std::round(centre.x) - centre.x),
                    .error = *std::max_element(off.begin(), off.end()),
                    .period_error = (slope->high - slope->low) / 2};
}

std::optional<PulseTrain> train_of_period(std::span<const double> instants,
                                          const PulseSearch& search, double period) {
  const double periods = std::floor((search.end - search.begin) / period);
  if (periods < kMinPeriods) return std::nullopt;
  const double by_chance =
      static_cast<double>(instants.size()) * search.width / (search.end - search.begin);
  const double wanted = std::max(kMinShare, kMinTimesChance * by_chance) * periods;
  const Window window = fullest_window(fold(instants, search.begin, period), search, period);
  if (static_cast<double>(window.periods) < wanted) return std::nullopt;
  return train_through(without_strangers(pulses_in(window, instants, search, period)));
}

}  // namespace

bool may_have_pulse(const PulseTrain& train, double begin, double end) {
  const double first = std::floor((begin - train.at) / train.period);
  const double error = train.error + std::abs(first + 1) * train.period_error;
  // The last pulse before `begin` may be late, the first one after it may be early.
  const double last_before = train.at + first * train.period;
  return last_before + error >= begin || last_before + train.period - error <= end;
}

std::vector<PulseTrain> find_pulse_trains(std::vector<double> instants, const PulseSearch& search) {
  std::vector<PulseTrain> trains;
  for (const double period : search.periods) {
    while (trains.size() < search.most_trains) {
      const auto train = train_of_period(instants, search, period);
      if (!train) break;
      trains.push_back(*train);
      std::erase_if(instants,
                    [&](double instant) { return may_have_pulse(*train, instant, instant); });
    }
  }
  return trains;
}

}  // namespace tailgate
