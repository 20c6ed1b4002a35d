// Carries out the actions of a trial, on its own processes and session alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "harness/result/action.h"
#include "harness/trial/action_times.h"
#include "harness/trial/disk_filler.h"
#include "harness/trial/processes/processes.h"
#include "harness/trial/switches.h"

namespace tailgate {

class TrialActions {
 public:
  using Started = std::function<void(const WatchedProcess&)>;

  // started: is told of processes that an action starts.
  TrialActions(const std::vector<TrialAction>& actions, TrialProcesses& processes,
               std::uint64_t record_start_ns, Started started);

  // Does what is due. events: calls that have returned.
  void carry_out(std::uint64_t events);

  // How long the controller may wait until it calls carry_out() again; kPollInterval at most.
  std::chrono::nanoseconds wait() const;

  // The load has ended: what is still stopped continues, so that it can write what it has, and a
  // disk that was filled has room again.
  void finish();

  std::vector<ActionDone> take() { return std::move(done_); }

  // How the switches went; nothing if there were none.
  std::optional<Switching> switching(const std::optional<SwitchedEvents>& events) const {
    return switches_.report(events);
  }

 private:
  void act(const DueAction& due, std::uint64_t events);
  void act_on_consumer(ActionDone action);
  void send(const ActionDone& action, int pid);
  void change_storage(ActionDone action);
  void switch_session(const DueAction& due, ActionDone action);
  void start_or_end(ActionDone action);
  void start_further(ActionDone& action);

  TrialProcesses& processes_;
  Clock clock_;
  ActionTimes times_;
  Started started_;
  SwitchWatch switches_;
  DiskFiller filler_;
  bool switch_refused_ = false;  // then no more are tried
  bool rotate_refused_ = false;
  bool fill_refused_ = false;
  std::vector<ActionDone> done_;
};

}  // namespace tailgate
