// When the actions of a trial are due. Pure: the caller passes the time and carries the actions
// out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/result/action.h"
#include "harness/trial/load.h"

namespace tailgate {

// Throws Error for actions that contradict themselves, or that begin after the load has ended.
void check_actions(const std::vector<TrialAction>& actions, const LoadPlan& load);

// An action that is due now.
struct DueAction {
  ActionKind what = ActionKind::kill;
  ActionTarget who = ActionTarget::program;
  SwitchWay by = SwitchWay::session;
};

// The most switches that these actions make of the session which is read back.
std::uint32_t most_switches(const std::vector<TrialAction>& actions, const LoadPlan& load);

// The most further processes or sessions of that kind that these actions start.
std::uint32_t most_started(const std::vector<TrialAction>& actions, const LoadPlan& load,
                           ActionTarget who);

class ActionTimes {
 public:
  // record_start_ns: when recording starts. seed: of the times that are drawn, one per trial.
  ActionTimes(const std::vector<TrialAction>& actions, const LoadPlan& load,
              std::uint64_t record_start_ns, std::uint64_t seed);

  // Returns the action that is due first of those due by now, and forgets it. events: calls that
  // have returned.
  std::optional<DueAction> take(std::uint64_t now_ns, std::uint64_t events);

  // When the next one is due that waits for a time; nothing if none does.
  std::optional<std::uint64_t> next_ns() const;

  bool waits_for_events() const { return !at_events_.empty(); }

 private:
  struct Timed {
    std::uint64_t at_ns;
    DueAction action;
  };

  void add(std::uint64_t at_ns, const DueAction& action);
  void add_with_end(std::uint64_t at_ns, const TrialAction& action);

  std::vector<Timed> timed_;  // the first to come is the last of the list
  std::vector<TrialAction> at_events_;
};

}  // namespace tailgate
