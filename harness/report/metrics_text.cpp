#include "harness/report/metrics_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "harness/gate/effect_text.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

constexpr std::size_t kNameColumns = 19;

// What a reader has to know of the columns, and of units of duets' figures.
std::string footnote(const std::vector<MetricJudgement>& metrics) {
  const std::string columns =
      "  A, B: medians of all rounds. change: the median of each round's own change;\n"
      "    the machine drifts between rounds, so A and B alone may show another one\n";
  const bool counts =
      std::any_of(metrics.begin(), metrics.end(),
                  [](const MetricJudgement& metric) { return metric.name.starts_with("calls_"); });
  return columns + (counts
                        ? "  calls_..., stalled_ms, slow_running_ms, events_lost: in 20k calls;\n"
                          "    rate_missed: of the rounds\n"
                        : "");
}

// The quantiles that the policy gates, but beyond which this duet has too few calls.
std::string too_few_calls(const std::vector<MetricJudgement>& metrics) {
  std::vector<std::string_view> names;
  for (const MetricJudgement& metric : metrics) {
    if (metric.is_gated() || !metric.tail_samples || !metric.tail_samples_needed) continue;
    if (*metric.tail_samples < *metric.tail_samples_needed) names.push_back(metric.name);
  }
  if (names.empty()) return "";
  return paragraph(
      fmt::format("not gated, since too few calls are beyond them (--json: how many "
                  "are needed): {}",
                  fmt::join(names, ", ")));
}

std::string interval_cell(const MetricJudgement& metric) {
  if (!metric.effect_low || !metric.effect_high) return "";
  return fmt::format("{} .. {}", effect_cell(metric, *metric.effect_low),
                     effect_cell(metric, *metric.effect_high));
}

std::string effect_cells(const MetricJudgement& metric) {
  // A longer name has a line to itself.
  const std::string name = metric.name.size() < kNameColumns
                               ? metric.name
                               : metric.name + "\n" + std::string(kNameColumns, ' ');
  return fmt::format("{:<{}}{:>8}{:>8} {:>8} {:>16}", name, kNameColumns,
                     metric_value_text(metric, metric.median_a),
                     metric_value_text(metric, metric.median_b),
                     metric.is_measured() ? effect_cell(metric, metric.effect) : "-",
                     metric.is_measured() ? interval_cell(metric) : "");
}

// In colour; what must not be overlooked in capitals.
std::string painted_decision(MetricOutcome decision, const Painter& painter) {
  if (decision == MetricOutcome::fail) return painter.red("FAIL");
  const std::string text(enum_text(decision));
  return decision == MetricOutcome::pass ? painter.green(text) : painter.yellow(text);
}

std::string decision_cells(const MetricJudgement& metric, const Painter& painter) {
  if (!metric.is_gated()) return fmt::format(" {:>6} -", "-");
  return fmt::format(" {:>6} ", effect_cell(metric, metric.margin)) +
         painted_decision(metric.decision, painter);
}

std::string without_end_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string metric_value_text(const MetricJudgement& metric, double value) {
  if (!metric.is_measured()) return "-";
  if (metric.unit == "ns") return human_duration(value);
  if (metric.unit == "bytes" && value >= 0) return human_rate(value) + "B";
  if (metric.unit == "Hz" && value >= 0) return human_rate(value);
  return fmt::format("{:.3g}", value);
}

std::string metrics_table(const std::vector<MetricJudgement>& metrics, const Painter& painter) {
  const bool any_gated =
      std::any_of(metrics.begin(), metrics.end(), std::mem_fn(&MetricJudgement::is_gated));
  std::string gated;
  std::string others;
  for (const MetricJudgement& metric : metrics) {
    if (!metric.is_gated() && !metric.is_measured()) continue;
    const std::string decision = any_gated ? decision_cells(metric, painter) : "";
    (metric.is_gated() ? gated : others) +=
        without_end_spaces(effect_cells(metric) + decision) + "\n";
  }
  return fmt::format("{:<{}}{:>8}{:>8} {:>8} {:>16}{}\n", "metric", kNameColumns, "A", "B",
                     "change", "95 % interval", any_gated ? " margin verdict" : "") +
         gated + others + footnote(metrics) + too_few_calls(metrics);
}

}  // namespace tailgate
