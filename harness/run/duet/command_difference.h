// Measures why command B takes longer: traced rounds of both commands after the duet's own, which
// are sampled only.
#pragma once

#include <functional>
#include <string>

#include "harness/result/command_duet.h"
#include "harness/result/difference.h"
#include "harness/run/duet/command_duet.h"
#include "harness/run/duet/duet_difference.h"
#include "harness/run/environment.h"

namespace tailgate {

struct CommandDifferencePlan {
  const CommandDuetRequest& request;
  const Environment& environment;  // with the clock in `trial`
  const CommandDuet& duet;         // as measured: with its rounds
  double max_s = kMaxDifferenceS;
  unsigned max_rounds = kMaxDifferenceRounds;
  std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

// Runs as many traced rounds as fit into max_s, and returns how the processor time of the sides'
// runs differs by function. A round that failed does not count; the second one, or the user's
// interrupt, ends it. Without any round there are no sums, and limits says why. Throws Error where
// commands cannot be sampled here.
Difference measure_command_difference(const CommandDifferencePlan& plan);

}  // namespace tailgate
