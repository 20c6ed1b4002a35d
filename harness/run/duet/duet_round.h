// Runs one round of a duet: fresh sessions and processes of both sides alternate on one processor.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/result/duet.h"
#include "harness/run/duet/duet_plan.h"
#include "harness/sink/catalog.h"
#include "harness/trial/processes/controller.h"

namespace tailgate {

// One side as requested.
struct DuetSideRequest {
  SinkChoice sink;
  LoadPlan load;
  std::filesystem::path program = {};  // absolute: of the provider and consumer processes; empty:
                                       // this program
};

struct RoundPlan {
  const DuetSideRequest& a;
  const DuetSideRequest& b;
  const TrialSettings& settings;
  TurnPlan turns;
  bool drained = false;  // each turn ends with a drain
  RoundOrder order;
  std::filesystem::path directory;  // must not exist yet; removed afterwards
};

// A round, and what was learned about the sides' sinks.
struct RoundOutcome {
  DuetRound round;
  std::vector<Setting> granted_a;
  std::vector<Setting> granted_b;
  bool classified = false;
  bool interrupted = false;  // by the user: the figures are incomplete
};

struct RoundProgress {
  std::string what;        // "warm-up", "turns", "reading back" …
  int provider_pid_b = 0;  // 0 before it has started; for tests that kill it
};
using RoundCallback = std::function<void(const RoundProgress&)>;

// Runs a round. A failure of a sink or process is the outcome of that side; the other side's
// outcome is then "interrupted". Throws Error only if the round cannot be set up. report: called
// regularly with the current activity.
RoundOutcome run_round(const RoundPlan& plan, const RoundCallback& report);

}  // namespace tailgate
