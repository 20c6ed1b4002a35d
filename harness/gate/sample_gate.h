// The verdict on what other benchmarks measured: is B worse than A by more than a margin? The sides
// were measured apart, so their repetitions are two groups that are not paired, compared at one
// analysis by the rank-sum test (harness/stats/unpaired.h). All figures are ratios.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/verdict.h"
#include "harness/samples/samples.h"

namespace tailgate {

// The margin where the user gives none.
inline constexpr double kSampleMargin = 0.05;

struct SampleComparison {
  std::string format;  // that of the sides' files
  std::string more;    // how its tool gives more repetitions: SampleFormat::more
  std::string a_name;  // the sides' files
  std::string b_name;
  SampleSet a;
  SampleSet b;
  double margin = kSampleMargin;     // of every figure, above 0
  std::vector<std::string> metrics;  // judge figures of these metrics alone; empty: the headlines
};

// Of the policy it takes both errors, which hold for all figures together. Throws Error where
// `metrics` names one that no figure has, and for more than kMostShiftValues repetitions.
Verdict judge_samples(const SampleComparison& comparison, const Policy& policy);

// The verdict's method: its figures are of groups that are not paired.
inline constexpr const char* kUnpairedMethod = "relabelling";

}  // namespace tailgate
