// Measures why side B of a duet takes longer: traced rounds of both sides after the duet's own.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "harness/result/difference.h"
#include "harness/run/duet/duet.h"

namespace tailgate {

// No divisor of a usual rate of events; few enough that a thread's ring holds the samples between
// two reads.
inline constexpr double kDifferenceSampleHz = 2999;
inline constexpr double kMaxDifferenceS = 30;
inline constexpr unsigned kMaxDifferenceRounds = 20;

struct DifferencePlan {
  const DuetRequest& request;
  const Environment& environment;
  const Duet& duet;  // as measured: with its rounds
  double max_s = kMaxDifferenceS;
  unsigned max_rounds = kMaxDifferenceRounds;
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// Runs as many traced rounds as fit into max_s by the longest one so far, at least one, and returns
// how the sides differ in them. A round that failed does not count; the second one, or the user's
// interrupt, ends it. Without any round that both sides completed there are no sums, and limits
// says why. Throws Error if a round or its trace cannot be set up.
Difference measure_difference(const DifferencePlan& plan);

// differences: in each of the duet's own rounds, without a trace; their median is the sum's.
void set_untraced(std::span<const double> differences, DifferenceSum& sum);

}  // namespace tailgate
