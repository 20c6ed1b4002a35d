// The verdict on a duet of commands: is B worse than A by more than a margin? The runs of a round
// are paired, as in a duet of sinks, and the same sequential test decides.
#pragma once

#include <string>
#include <vector>

#include "harness/gate/policy.h"
#include "harness/result/command_duet.h"
#include "harness/result/verdict.h"

namespace tailgate {

struct CommandGateSettings {
  double margin = 0.05;              // of every figure, above 0
  std::vector<std::string> metrics;  // judge figures of these metrics alone; empty: the headlines
};

// The verdict; `duet` (the file's name) is left to the caller. Of the policy it takes looks and
// errors. A metric that no figure has makes it invalid.
Verdict judge(const CommandDuet& duet, const CommandGateSettings& settings, const Policy& policy);

// Whether a duet may end here; true only after a number of rounds at which the policy has a look.
bool is_decided(const CommandDuet& duet, const CommandGateSettings& settings, const Policy& policy);

// Whether more rounds can change the verdict: it is inconclusive, and the policy has a look after
// those that the duet's rounds have reached.
bool can_go_on(const CommandDuet& duet, const CommandGateSettings& settings, const Policy& policy);

// Every figure without a decision: medians, effect and interval over all completed rounds.
std::vector<MetricJudgement> describe_figures(const CommandDuet& duet);

}  // namespace tailgate
