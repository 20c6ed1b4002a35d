// The figures of two results side by side: what every format of a comparison shows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/gate/comparable.h"
#include "harness/result/result.h"

namespace tailgate {

// One figure of a step, of both results.
struct ComparedFigure {
  std::string_view group;  // "response", "service", "logging" or "machine"
  std::string_view field;  // as in a result file: "p99_9_ns", "cpu_ns_per_event"
  std::string_view title;  // for people: "p99.9", "CPU"
  bool is_time = true;     // in nanoseconds
  double a = 0;
  double b = 0;
  std::optional<double> change;  // b / a - 1; none where one of them is not above 0
  // Of a quantile: its value in each completed trial. Empty for overhead.
  std::vector<double> a_trials;
  std::vector<double> b_trials;
  // Of overhead, which is a mean: half the width of its 95 % interval, where there is one.
  std::optional<double> a_half_width;
  std::optional<double> b_half_width;
};

// A step that both results have.
struct ComparedStep {
  const StepSummary* a = nullptr;
  const StepSummary* b = nullptr;
  std::vector<ComparedFigure> figures;  // quantiles, then the overhead that both measured
};

// The steps in b's order. They point into the results.
std::vector<ComparedStep> compared_steps(const Result& a, const Result& b);

// Whether the step's figures may be compared at all.
bool is_comparable(const std::vector<Incomparable>& reasons, unsigned step);

}  // namespace tailgate
