#include "harness/gate/effect_text.h"

#include <fmt/format.h>

namespace tailgate {

std::string effect_text(const MetricJudgement& metric, double effect) {
  if (metric.effect_kind == "ratio") return fmt::format("{:+.3g} %", effect * 100);
  return fmt::format("{:+.3g} {}", effect, metric.unit);
}

std::string effect_with_interval(const MetricJudgement& metric) {
  const std::string effect = effect_text(metric, metric.effect);
  if (!metric.effect_low || !metric.effect_high) return effect;
  return fmt::format("{} ({} to {})", effect, effect_text(metric, *metric.effect_low),
                     effect_text(metric, *metric.effect_high));
}

}  // namespace tailgate
