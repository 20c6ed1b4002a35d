#include "harness/report/overhead_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/result/overhead_summary.h"
#include "harness/stats/crossing.h"

namespace tailgate {
namespace {

constexpr double kRulePercent = 5;

std::string percent_cell(double percent) {
  return fmt::format("{:.2f}", std::clamp(percent, -9999.0, 9999.0));
}

// A value below a thousandth is noise.
std::string number_cell(double value) {
  if (std::abs(value) < 0.0005) return "0";
  if (std::abs(value) < 1000) return fmt::format("{:.4g}", std::round(value * 1000) / 1000);
  return (value < 0 ? "-" : "") + human_rate(std::min(std::abs(value), 1e300));
}

std::string mean_cell(const std::optional<Estimate>& estimate, std::string (*cell)(double)) {
  return estimate ? cell(estimate->mean) : "-";
}

std::string width_cell(const std::optional<Estimate>& estimate, std::string (*cell)(double)) {
  return estimate && estimate->half_width ? cell(*estimate->half_width) : "-";
}

std::string row(const std::string& rate, const RoleOverhead& overhead) {
  return fmt::format("  {:>6} {:<10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", rate,
                     first_columns(overhead.role, 10),
                     mean_cell(overhead.cpu_ns_per_event, human_duration),
                     width_cell(overhead.cpu_ns_per_event, human_duration),
                     mean_cell(overhead.machine_percent, percent_cell),
                     width_cell(overhead.machine_percent, percent_cell),
                     mean_cell(overhead.switches_per_event, number_cell),
                     mean_cell(overhead.faults_per_event, number_cell),
                     mean_cell(overhead.written_bytes_per_event, number_cell));
}

bool against_control(const Result& result) {
  return std::any_of(result.summary.begin(), result.summary.end(),
                     [](const StepSummary& step) { return step.controls > 0; });
}

std::string heading(const std::string& title) {
  return fmt::format("  {}\n  {:>6} {:<10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>8}\n", title, "rate/s",
                     "role", "CPU", "+-", "machine%", "+-", "switches", "faults", "bytes");
}

// The rows of one role; of all roles when `role` is empty.
std::string rows_of(const Result& result, std::string_view role) {
  std::string rows;
  for (const StepSummary& step : result.summary) {
    std::string rate = step.rate_hz > 0 ? human_rate(step.rate_hz).substr(0, 6) : "max";
    for (const RoleOverhead& overhead : step.overhead) {
      if (!role.empty() && overhead.role != role) continue;
      rows += row(rate, overhead);
      rate.clear();
    }
  }
  return rows;
}

// The mean cost of a sample, and what the sampler could not see.
std::string sampler_lines(const Result& result) {
  double samples = 0;
  double cost_ns = 0;
  double span_ns = 0;
  std::set<std::string> limits;
  for (const Trial& trial : result.trials) {
    if (!trial.overhead) continue;
    samples += trial.overhead->samples;
    cost_ns += static_cast<double>(trial.overhead->sampler_cpu_ns);
    span_ns += static_cast<double>(trial.overhead->end_ns - trial.overhead->start_ns);
    if (!trial.overhead->limits.empty()) limits.insert(trial.overhead->limits);
  }
  std::string text;
  if (samples > 0 && span_ns > 0) {
    text = fmt::format("  sampling took {} a sample, {:.2f} % of the controller's processor\n",
                       human_duration(cost_ns / samples), std::min(100 * cost_ns / span_ns, 999.0));
  }
  for (const std::string& limit : limits) text += paragraph("not seen: " + limit);
  return text;
}

std::string victim_lines(const Result& result) {
  std::string text;
  for (const StepSummary& step : result.summary) {
    if (!step.victim_slowdown_percent) continue;
    text += fmt::format("  victim at {}/s: {} % slower, +- {}\n",
                        step.rate_hz > 0 ? human_rate(step.rate_hz) : "max",
                        mean_cell(step.victim_slowdown_percent, percent_cell),
                        width_cell(step.victim_slowdown_percent, percent_cell));
  }
  return text;
}

std::string rule_lines(const Result& result) {
  std::vector<CurvePoint> points;
  for (const StepSummary& step : result.summary) {
    for (const RoleOverhead& overhead : step.overhead) {
      if (overhead.role != kLoggingRole || !overhead.machine_percent) continue;
      points.push_back({step.achieved_rate_hz, overhead.machine_percent->mean});
    }
  }
  if (points.size() < 2) return "";
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  const Crossing crossing = first_crossing(points, kRulePercent);
  const std::string rate = human_rate(crossing.x) + " events/s";
  const std::string found = crossing.kind == Crossing::Kind::none ? "not reached up to " + rate
                            : crossing.kind == Crossing::Kind::at ? "reached at about " + rate
                                                                  : "reached below " + rate;
  return paragraph(fmt::format(
      "{:g} % of the machine spent on logging: {} (rule of thumb for ETW: 10k events/s cost about "
      "5 %, 1M overload a machine)",
      kRulePercent, found));
}

}  // namespace

std::string overhead_text(const Result& result) {
  const std::string rows = rows_of(result, "");
  if (rows.empty()) return "";
  const std::string title =
      against_control(result)
          ? "overhead per event: what the run used beyond the same load on the null sink"
          : "use per event, the harness's own included: there were no control trials";
  return heading(title) + rows + rule_lines(result) + victim_lines(result) + sampler_lines(result);
}

std::string logging_text(const std::vector<TitledResult>& results) {
  std::string text;
  for (const TitledResult& titled : results) {
    const std::string rows = rows_of(titled.result, kLoggingRole);
    if (rows.empty()) continue;
    text += titled.title + rows;
    if (!against_control(titled.result)) {
      text += "  includes the harness's own use: there were no control trials\n";
    }
    text += rule_lines(titled.result) + victim_lines(titled.result);
  }
  if (text.empty()) return "";
  return heading("cost of logging per event, beyond the same load on the null sink") + text;
}

}  // namespace tailgate
