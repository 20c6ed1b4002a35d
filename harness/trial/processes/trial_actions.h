// Carries out the actions of a trial, on its processes alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "harness/result/action.h"
#include "harness/trial/action_times.h"
#include "harness/trial/processes/processes.h"

namespace tailgate {

class TrialActions {
 public:
  TrialActions(const std::vector<TrialAction>& actions, TrialProcesses& processes,
               std::uint64_t record_start_ns);

  // Does what is due. events: calls that have returned.
  void carry_out(std::uint64_t events);

  // How long the controller may wait until it calls carry_out() again; kPollInterval at most.
  std::chrono::nanoseconds wait() const;

  // The load has ended: what is still stopped continues, so that it can write what it has.
  void finish();

  std::vector<ActionDone> take() { return std::move(done_); }

 private:
  void act(const DueAction& due, std::uint64_t events);
  void send(const ActionDone& action, int pid);

  TrialProcesses& processes_;
  Clock clock_;
  ActionTimes times_;
  std::vector<ActionDone> done_;
};

}  // namespace tailgate
