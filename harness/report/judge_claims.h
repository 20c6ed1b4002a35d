// Judges claims on results. A trial is one observation: a bound holds if the whole 95 % interval
// over the trials keeps it, does not hold if no part of it does, and cannot be told else. A figure
// that a busy machine decides, by the rule of `tailgate show` (trust_in()), tells nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/claim_verdicts.h"
#include "harness/report/document.h"

namespace tailgate {

// What the results do not say.
struct ClaimSurroundings {
  // Why the sink cannot be measured on this machine; empty where it can.
  std::function<std::string(const std::string& sink)> why_not_here;
  // The command that measures a run.
  std::function<std::string(const ClaimRun& run)> command;
};

// In the order of the claims. Of several results of one run the latest counts.
ClaimVerdicts judge_claims(const std::vector<Claim>& claims, const Results& results,
                           const ClaimSurroundings& surroundings);

}  // namespace tailgate
