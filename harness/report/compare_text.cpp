#include "harness/report/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/gate/comparable.h"
#include "harness/gate/effect_text.h"
#include "harness/report/human.h"
#include "harness/report/painter.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

using Quantile = std::uint64_t Latency::*;

struct Row {
  const char* time;
  const char* name;
  Latency StepSummary::*of_step;
  Latency Trial::*of_trial;
  Quantile quantile;
};

constexpr Row kRows[] = {
    {"response", "p50", &StepSummary::response, &Trial::response, &Latency::p50_ns},
    {"", "p99", &StepSummary::response, &Trial::response, &Latency::p99_ns},
    {"", "p99.9", &StepSummary::response, &Trial::response, &Latency::p99_9_ns},
    {"", "p99.99", &StepSummary::response, &Trial::response, &Latency::p99_99_ns},
    {"", "max", &StepSummary::response, &Trial::response, &Latency::max_ns},
    {"service", "p50", &StepSummary::service, &Trial::service, &Latency::p50_ns},
    {"", "p99", &StepSummary::service, &Trial::service, &Latency::p99_ns},
};

const StepSummary* find_step(const Result& result, unsigned step) {
  const auto found = std::find_if(result.summary.begin(), result.summary.end(),
                                  [&](const StepSummary& s) { return s.step == step; });
  return found == result.summary.end() ? nullptr : &*found;
}

std::string change(double from, double to) {
  MetricJudgement ratio;
  ratio.effect_kind = "ratio";
  return from > 0 && to > 0 ? effect_cell(ratio, to / from - 1) : "-";
}

// "1.9us-2.1us" over the completed trials of a step; empty with fewer than two.
std::string range(const Result& result, unsigned step, const Row& row) {
  std::vector<std::uint64_t> values;
  for (const Trial& trial : result.trials) {
    if (trial.step == step && trial.outcome == kOutcomeCompleted) {
      values.push_back(trial.*row.of_trial.*row.quantile);
    }
  }
  if (values.size() < 2) return "";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return human_duration(*least) + "-" + human_duration(*most);
}

std::string line(const std::string& rate, const std::string& time, const std::string& name,
                 const std::string& a, const std::string& b, const std::string& difference,
                 const std::string& range_a, const std::string& range_b) {
  return fmt::format("{:>6} {:<10}{:<6}{:>8}{:>8}{:>9}{:>16}{:>16}\n", rate, time, name, a, b,
                     difference, range_a, range_b);
}

using Figure = std::optional<Estimate> RoleOverhead::*;

struct OverheadRow {
  const char* role;
  const char* name;
  Figure figure;
  bool is_time;
};

constexpr OverheadRow kOverheadRows[] = {
    {"logging", "CPU", &RoleOverhead::cpu_ns_per_event, true},
    {"logging", "switch", &RoleOverhead::switches_per_event, false},
    {"logging", "faults", &RoleOverhead::faults_per_event, false},
    {"logging", "bytes", &RoleOverhead::written_bytes_per_event, false},
    {"machine", "CPU", &RoleOverhead::cpu_ns_per_event, true},
};

std::optional<Estimate> find_overhead(const StepSummary& step, const OverheadRow& row) {
  for (const RoleOverhead& role : step.overhead) {
    if (role.role == row.role) return role.*row.figure;
  }
  return {};
}

std::string overhead_cell(double value, bool is_time) {
  if (!is_time) return fmt::format("{:.3g}", value);
  return value < 0 ? fmt::format("{:.0f}ns", value)
                   : human_duration(static_cast<std::uint64_t>(value));
}

std::string interval_cell(const Estimate& estimate, bool is_time) {
  if (!estimate.half_width) return "";
  const double least = estimate.mean - *estimate.half_width;
  // A dash before a negative figure would be read with it.
  return overhead_cell(least, is_time) + (least < 0 ? " to " : "-") +
         overhead_cell(estimate.mean + *estimate.half_width, is_time);
}

// By event, for each figure that both have: means, and intervals in place of the trials' range.
std::string overhead_lines(const StepSummary& a, const StepSummary& b) {
  std::string text;
  const char* role = "";
  for (const OverheadRow& row : kOverheadRows) {
    const auto from = find_overhead(a, row);
    const auto to = find_overhead(b, row);
    if (!from || !to) continue;
    const bool again = std::string_view(role) == row.role;
    role = row.role;
    text += line("", again ? "" : row.role, row.name, overhead_cell(from->mean, row.is_time),
                 overhead_cell(to->mean, row.is_time), change(from->mean, to->mean),
                 interval_cell(*from, row.is_time), interval_cell(*to, row.is_time));
  }
  return text;
}

std::string pair_table(const Result& a, const Result& b) {
  std::string text = line("rate/s", "time", "", "A", "B", "change", "A's trials", "B's trials");
  for (const StepSummary& step : b.summary) {
    const StepSummary* other = find_step(a, step.step);
    if (other == nullptr) continue;
    std::string rate = step.rate_hz > 0 ? human_rate(step.rate_hz) : "max";
    for (const Row& row : kRows) {
      const std::uint64_t from = other->*row.of_step.*row.quantile;
      const std::uint64_t to = step.*row.of_step.*row.quantile;
      text += line(std::exchange(rate, ""), row.time, row.name, human_duration(from),
                   human_duration(to), change(static_cast<double>(from), static_cast<double>(to)),
                   range(a, step.step, row), range(b, step.step, row));
    }
    text += overhead_lines(*other, step);
  }
  return text;
}

std::string title(const char* letter, const Result& result, const std::string& name,
                  const Painter& painter) {
  const std::string text = fmt::format("{}  {} ({}@{}, {})", letter, name, result.scenario.name,
                                       result.sink.label, result.build.revision.substr(0, 10));
  std::string lines;
  for (const std::string& part : wrapped(printable(text), kColumns, 3)) {
    lines += painter.bold(part) + "\n";
  }
  return lines;
}

}  // namespace

std::string render_comparison(const std::vector<Result>& results,
                              const std::vector<std::string>& names, bool colour) {
  const Painter painter(colour);
  std::string text;
  text += painter.red(painter.bold("NOT TAKEN IN DUET: NO VERDICT")) + "\n";
  for (const std::string& part : wrapped(why_duet(), kColumns - 2, 0)) text += "  " + part + "\n";
  for (std::size_t i = 1; i < results.size(); ++i) {
    text += "\n" + title("A", results[0], names.at(0), painter) +
            title("B", results[i], names.at(i), painter);
    for (const Remark& reason : reasons_against(results[0], results[i])) {
      text += note("not comparable: " + reason.what, reason.remedy, painter);
    }
    text += pair_table(results[0], results[i]);
  }
  return text;
}

}  // namespace tailgate
