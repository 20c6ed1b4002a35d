// One round of a duet: fresh sessions and processes of both sides that take turns on one processor.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/duet/duet_plan.h"
#include "harness/result/duet.h"
#include "harness/trial/controller.h"
#include "providers/registry.h"

namespace tailgate {

// One side as it was asked for.
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
  SlicePlan slices;
  bool drained = false;  // a barrier ends each slice
  RoundOrder order;
  std::filesystem::path directory;  // must not exist yet; removed afterwards
};

// A round with what was learned about the sides' sinks.
struct RoundOutcome {
  DuetRound round;
  std::vector<Setting> granted_a;
  std::vector<Setting> granted_b;
  bool classified = false;
  bool interrupted = false;  // by the user: the figures are not whole
};

struct RoundProgress {
  std::string what;        // "warm-up", "slices", "reading back" …
  int provider_pid_a = 0;  // 0 before it has started
  int provider_pid_b = 0;
};
using RoundCallback = std::function<void(const RoundProgress&)>;

// Runs it. What goes wrong with a sink or a process is that side's outcome; the other side's is
// then "interrupted". Throws Error only when the round could not be set up at all. report: called
// with what is being done, while it is.
RoundOutcome run_round(const RoundPlan& plan, const RoundCallback& report);

}  // namespace tailgate
