#include "harness/gate/effect_text.h"

#include <fmt/format.h>

#include <cmath>

namespace tailgate {
namespace {

constexpr double kManyTimes = 9;  // an effect of 9 is ten times as much

std::string percent(double effect) {
  return std::abs(effect) < 1 ? fmt::format("{:+.1f}", effect * 100)
                              : fmt::format("{:+.0f}", effect * 100);
}

std::string difference(double effect) {
  constexpr double kNothing = 1e-9;  // what rounding leaves of equal sums
  if (std::abs(effect) < kNothing) effect = 0;
  return std::abs(effect) < 1000 ? fmt::format("{:+.3g}", effect) : fmt::format("{:+.0f}", effect);
}

}  // namespace

std::string effect_cell(const MetricJudgement& metric, double effect) {
  if (metric.effect_kind == EffectKind::difference) return difference(effect);
  return effect < kManyTimes ? percent(effect) + "%" : fmt::format("x{:.3g}", 1 + effect);
}

std::string effect_text(const MetricJudgement& metric, double effect) {
  if (metric.effect_kind == EffectKind::difference) return difference(effect) + " " + metric.unit;
  return effect < kManyTimes ? percent(effect) + " %" : fmt::format("x{:.3g}", 1 + effect);
}

std::string effect_with_interval(const MetricJudgement& metric) {
  const std::string effect = effect_text(metric, metric.effect);
  if (!metric.effect_low || !metric.effect_high) return effect;
  return fmt::format("{} ({} to {})", effect, effect_text(metric, *metric.effect_low),
                     effect_text(metric, *metric.effect_high));
}

}  // namespace tailgate
