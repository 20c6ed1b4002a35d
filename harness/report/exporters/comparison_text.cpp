// Results side by side, without a verdict, as text for a terminal of 80 columns.
//
// For each pair of results: quantiles of response and service times and what logging
// cost the system, with the range over the trials, which shows how far equal runs differ. Says
// first that the results were not measured in duet, and what forbids the comparison.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/gate/comparable.h"
#include "harness/gate/effect_text.h"
#include "harness/report/comparison_figures.h"
#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"

namespace tailgate {
namespace {

std::string change_cell(const ComparedFigure& figure) {
  MetricJudgement ratio;
  ratio.effect_kind = EffectKind::ratio;
  return figure.change ? effect_cell(ratio, *figure.change) : "-";
}

std::string value_cell(const ComparedFigure& figure, double value) {
  return figure.is_time ? human_duration(value) : fmt::format("{:.3g}", value);
}

// "1.9us-2.1us": the range over the trials, or the interval of a mean. Empty when there is only one
// trial or no interval.
std::string range_cell(const ComparedFigure& figure, const std::vector<double>& trials, double mean,
                       std::optional<double> half_width) {
  if (half_width) {
    const double least = mean - *half_width;
    // A dash before a negative number would look like a second sign.
    return value_cell(figure, least) + (least < 0 ? " to " : "-") +
           value_cell(figure, mean + *half_width);
  }
  if (trials.size() < 2) return "";
  const auto [least, most] = std::minmax_element(trials.begin(), trials.end());
  return value_cell(figure, *least) + "-" + value_cell(figure, *most);
}

std::string line(std::string_view rate, std::string_view group, std::string_view title,
                 std::string_view a, std::string_view b, std::string_view change,
                 std::string_view range_a, std::string_view range_b) {
  return fmt::format("{:>6} {:<10}{:<6} {:>7} {:>7} {:>8} {:>15} {:>15}\n", rate, group, title, a,
                     b, change, range_a, range_b);
}

std::string pair_table(const Result& a, const Result& b) {
  std::string text = line("rate/s", "time", "", "A", "B", "change", "A's trials", "B's trials");
  for (const ComparedStep& step : compared_steps(a, b)) {
    std::string rate = step.b->rate_hz > 0 ? human_rate(step.b->rate_hz) : "max";
    std::string_view group;
    for (const ComparedFigure& figure : step.figures) {
      const bool again = figure.group == group;
      group = figure.group;
      text += line(std::exchange(rate, ""), again ? "" : group, figure.title,
                   value_cell(figure, figure.a), value_cell(figure, figure.b), change_cell(figure),
                   range_cell(figure, figure.a_trials, figure.a, figure.a_half_width),
                   range_cell(figure, figure.b_trials, figure.b, figure.b_half_width));
    }
  }
  return text;
}

std::string title(const char* letter, const Result& result, const std::string& name,
                  const Painter& painter) {
  const std::string text = fmt::format("{}  {} ({}@{}, {})", letter, name, result.scenario.name,
                                       result.sink.label, first_columns(result.build.revision, 10));
  std::string lines;
  for (const std::string& part : wrapped(text, kColumns, 3)) {
    lines += painter.bold(part) + "\n";
  }
  return lines;
}

std::string render_comparison_text(const Comparison& comparison, const ExportOptions& options) {
  const Painter painter(options.colour);
  std::string text;
  text += painter.red(painter.bold("NOT TAKEN IN DUET: NO VERDICT")) + "\n";
  for (const std::string& part : wrapped(why_duet(), kColumns - 2, 0)) text += "  " + part + "\n";
  for (const auto& [a, b] : comparison.pairs) {
    text += "\n" + title("A", a.result, a.name, painter) + title("B", b.result, b.name, painter);
    for (const auto& [step, reason] : why_incomparable(a.result, b.result)) {
      text += note("not comparable: " + reason.what, reason.remedy, painter);
    }
    text += pair_table(a.result, b.result);
  }
  for (const std::string& name : comparison.without_partner) {
    text += note(name + " has no file of that name in the other folder", "", painter);
  }
  return text;
}

}  // namespace

constinit const Exporter exporters::comparison_text =
    exporter_of<render_comparison_text, Form::text>("text", "what the terminal shows", ".txt");

}  // namespace tailgate
