#include "harness/report/comparison_figures.h"

#include <algorithm>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

struct QuantileRow {
  std::string_view group;
  std::string_view field;
  std::string_view title;
  Latency StepSummary::*of_step;
  Latency Trial::*of_trial;
  std::uint64_t Latency::*quantile;
};

constexpr QuantileRow kQuantileRows[] = {
    {"response", "p50_ns", "p50", &StepSummary::response, &Trial::response, &Latency::p50_ns},
    {"response", "p99_ns", "p99", &StepSummary::response, &Trial::response, &Latency::p99_ns},
    {"response", "p99_9_ns", "p99.9", &StepSummary::response, &Trial::response, &Latency::p99_9_ns},
    {"response", "p99_99_ns", "p99.99", &StepSummary::response, &Trial::response,
     &Latency::p99_99_ns},
    {"response", "max_ns", "max", &StepSummary::response, &Trial::response, &Latency::max_ns},
    {"service", "p50_ns", "p50", &StepSummary::service, &Trial::service, &Latency::p50_ns},
    {"service", "p99_ns", "p99", &StepSummary::service, &Trial::service, &Latency::p99_ns},
};

struct OverheadRow {
  std::string_view role;
  std::string_view field;
  std::string_view title;
  std::optional<Estimate> RoleOverhead::*figure;
  bool is_time;
};

constexpr OverheadRow kOverheadRows[] = {
    {"logging", "cpu_ns_per_event", "CPU", &RoleOverhead::cpu_ns_per_event, true},
    {"logging", "switches_per_event", "switch", &RoleOverhead::switches_per_event, false},
    {"logging", "faults_per_event", "faults", &RoleOverhead::faults_per_event, false},
    {"logging", "written_bytes_per_event", "bytes", &RoleOverhead::written_bytes_per_event, false},
    {"machine", "cpu_ns_per_event", "CPU", &RoleOverhead::cpu_ns_per_event, true},
};

std::optional<double> change_of(double a, double b) {
  if (a <= 0 || b <= 0) return {};
  return b / a - 1;
}

std::vector<double> in_trials(const Result& result, unsigned step, const QuantileRow& row) {
  std::vector<double> values;
  for (const Trial& trial : result.trials) {
    if (trial.step == step && trial.outcome == TrialOutcome::completed) {
      values.push_back(static_cast<double>(trial.*row.of_trial.*row.quantile));
    }
  }
  return values;
}

std::optional<Estimate> find_overhead(const StepSummary& step, const OverheadRow& row) {
  for (const RoleOverhead& role : step.overhead) {
    if (role.role == row.role) return role.*row.figure;
  }
  return {};
}

std::vector<ComparedFigure> figures_of(const Result& a, const Result& b, const ComparedStep& step) {
  std::vector<ComparedFigure> figures;
  for (const QuantileRow& row : kQuantileRows) {
    ComparedFigure& figure = figures.emplace_back();
    figure.group = row.group;
    figure.field = row.field;
    figure.title = row.title;
    figure.a = static_cast<double>(step.a->*row.of_step.*row.quantile);
    figure.b = static_cast<double>(step.b->*row.of_step.*row.quantile);
    figure.change = change_of(figure.a, figure.b);
    figure.a_trials = in_trials(a, step.a->step, row);
    figure.b_trials = in_trials(b, step.b->step, row);
  }
  for (const OverheadRow& row : kOverheadRows) {
    const auto of_a = find_overhead(*step.a, row);
    const auto of_b = find_overhead(*step.b, row);
    if (!of_a || !of_b) continue;
    ComparedFigure& figure = figures.emplace_back();
    figure.group = row.role;
    figure.field = row.field;
    figure.title = row.title;
    figure.is_time = row.is_time;
    figure.a = of_a->mean;
    figure.b = of_b->mean;
    figure.change = change_of(figure.a, figure.b);
    figure.a_half_width = of_a->half_width;
    figure.b_half_width = of_b->half_width;
  }
  return figures;
}

}  // namespace

std::vector<ComparedStep> compared_steps(const Result& a, const Result& b) {
  std::vector<ComparedStep> steps;
  for (const StepSummary& of_b : b.summary) {
    const auto of_a = std::find_if(a.summary.begin(), a.summary.end(),
                                   [&](const StepSummary& s) { return s.step == of_b.step; });
    if (of_a == a.summary.end()) continue;
    ComparedStep& step = steps.emplace_back(ComparedStep{&*of_a, &of_b, {}});
    step.figures = figures_of(a, b, step);
  }
  return steps;
}

bool is_comparable(const std::vector<Incomparable>& reasons, unsigned step) {
  return std::none_of(reasons.begin(), reasons.end(), [&](const Incomparable& reason) {
    return !reason.step || *reason.step == step;
  });
}

}  // namespace tailgate
