#include "harness/report/metrics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/gate/effect_text.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

bool is_measured(const MetricJudgement& metric) {
  return metric.decision != "unmeasured";
}

bool is_gated(const MetricJudgement& metric) {
  return is_measured(metric) && metric.decision != "reported";
}

std::string interval_cell(const MetricJudgement& metric) {
  if (!metric.effect_low || !metric.effect_high) return "";
  return fmt::format("{} .. {}", effect_cell(metric, *metric.effect_low),
                     effect_cell(metric, *metric.effect_high));
}

std::string effect_cells(const MetricJudgement& metric) {
  return fmt::format("{:<19}{:>8}{:>8} {:>8} {:>16}", metric.name,
                     metric_value_text(metric, metric.median_a),
                     metric_value_text(metric, metric.median_b),
                     is_measured(metric) ? effect_cell(metric, metric.effect) : "-",
                     is_measured(metric) ? interval_cell(metric) : "");
}

std::string decision_cells(const MetricJudgement& metric, const Painter& painter) {
  if (!is_gated(metric)) return fmt::format(" {:>6} -", "-");
  return fmt::format(" {:>6} ", effect_cell(metric, metric.margin)) +
         painted_decision(metric.decision == "fail" ? "FAIL" : metric.decision, metric.decision,
                          painter);
}

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string metric_value_text(const MetricJudgement& metric, double value) {
  if (!is_measured(metric)) return "-";
  if (metric.unit == "ns" && value >= 0) {
    return human_duration(static_cast<std::uint64_t>(std::llround(std::min(value, 1e18))));
  }
  if (metric.unit == "bytes" && value >= 0) return human_rate(value) + "B";
  if (metric.unit == "Hz" && value >= 0) return human_rate(value);
  return fmt::format("{:.3g}", value);
}

std::string painted_decision(const std::string& text, std::string_view decision,
                             const Painter& painter) {
  if (decision == "fail" || decision == "invalid") return painter.red(text);
  if (decision == "pass") return painter.green(text);
  return decision == "undecided" || decision == "inconclusive" ? painter.yellow(text) : text;
}

std::string metrics_table(const std::vector<MetricJudgement>& metrics, const Painter& painter) {
  const bool any_gated = std::any_of(metrics.begin(), metrics.end(), is_gated);
  std::string gated;
  std::string others;
  for (const MetricJudgement& metric : metrics) {
    if (!any_gated && !is_measured(metric)) continue;
    const std::string decision = any_gated ? decision_cells(metric, painter) : "";
    (is_gated(metric) ? gated : others) +=
        without_end_spaces(effect_cells(metric) + decision) + "\n";
  }
  return fmt::format("{:<19}{:>8}{:>8} {:>8} {:>16}{}\n", "metric", "A", "B", "change",
                     "95 % interval", any_gated ? " margin verdict" : "") +
         gated + others + "  calls_...: in 20,000 calls; rate_missed: share of the rounds\n";
}

}  // namespace tailgate
