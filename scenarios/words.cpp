#include "scenarios/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harness/stats/quantile_interval.h"
#include "harness/stats/trial_interval.h"

namespace tailgate {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr std::array kUnits = {Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}, Unit{1, "ns"}};

const Unit& unit_of(double ns) {
  const auto unit =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) { return ns >= one.ns; });
  return unit == kUnits.end() ? kUnits.back() : *unit;
}

}  // namespace

std::string rate_words(double rate_hz) {
  if (rate_hz >= 1e6) return fmt::format("{:.4g}M", rate_hz / 1e6);
  if (rate_hz >= 1e3) return fmt::format("{:.4g}k", rate_hz / 1e3);
  return fmt::format("{:.4g}", rate_hz);
}

std::string at_rate(const Result& result) {
  const double rate_hz = result.trials.empty() ? 0 : result.trials.front().load.rate_hz;
  const std::string at =
      rate_hz > 0 ? fmt::format("At {} events/s", rate_words(rate_hz)) : "As fast as it can,";
  return fmt::format("{} `{}`", at, result.sink.label);
}

std::string duration_words(double ns) {
  const Unit& unit = unit_of(ns);
  return fmt::format("{:.3g} {}", ns / unit.ns, unit.name);
}

std::string event_words(double low, double high) {
  const char* const events = high == 1 ? "event" : "events";
  if (low == high) return fmt::format("{:.0f} {}", high, events);
  return fmt::format("{:.0f} to {:.0f} {}", low, high, events);
}

std::string duration_range_words(double low_ns, double high_ns) {
  const Unit& unit = unit_of(high_ns);
  const std::string low = fmt::format("{:.3g}", low_ns / unit.ns);
  const std::string high = fmt::format("{:.3g}", high_ns / unit.ns);
  return low == high ? fmt::format("{} {}", high, unit.name)
                     : fmt::format("{} to {} {}", low, high, unit.name);
}

std::string signed_duration_words(double ns) {
  return (ns < 0 ? "-" : "") + duration_words(std::abs(ns));
}

std::string signed_range_words(double low_ns, double high_ns) {
  if (low_ns > 0) return duration_range_words(low_ns, high_ns);
  return fmt::format("{} to {}", signed_duration_words(low_ns), signed_duration_words(high_ns));
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

namespace {

// Whether it should have ended what could not be begun.
bool ends_what_was_refused(const ActionDone& action, const std::vector<ActionDone>& all) {
  return std::any_of(all.begin(), all.end(), [&](const ActionDone& other) {
    return !other.refused.empty() && other.who == action.who && other.what != action.what &&
           end_of(other.what) == action.what;
  });
}

}  // namespace

std::vector<std::string> refused_actions(const Result& result) {
  std::vector<std::string> all;
  for (const Trial& trial : result.trials) {
    const std::vector<ActionDone> actions = trial.actions.value_or(std::vector<ActionDone>{});
    for (const ActionDone& action : actions) {
      if (action.refused.empty() || ends_what_was_refused(action, actions)) continue;
      const std::string_view who =
          action.who == ActionTarget::rival ? "a rival's session" : enum_text(action.who);
      std::string text = fmt::format("{} {}: {}", enum_text(action.what), who, action.refused);
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
    }
  }
  return all;
}

AnswerFigure range_figure(std::string name, const std::vector<double>& values, std::string about) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto count = static_cast<unsigned>(values.size());
  return {.name = std::move(name),
          .value = median(values),
          .low = *low,
          .high = *high,
          .trials = count,
          .about = fmt::format("{}: median, least and most of the trials; a further trial lies "
                               "between these with a probability of {}/{}",
                               about, count - 1, count + 1)};
}

AnswerFigure interval_figure(std::string name, const std::vector<double>& values,
                             const std::string& about, const std::string& of) {
  AnswerFigure figure{.name = std::move(name),
                      .value = values.front(),
                      .low = {},
                      .high = {},
                      .trials = static_cast<unsigned>(values.size()),
                      .about = fmt::format("{}; of one {}", about, of)};
  if (const auto interval = trial_interval(values, 0.95)) {
    figure.value = interval->estimate;
    figure.low = interval->low;
    figure.high = interval->high;
    figure.about = fmt::format("{}: {} of the {}s and its 95 % confidence interval", about,
                               interval->of_median ? "median" : "mean", of);
  }
  return figure;
}

}  // namespace tailgate
