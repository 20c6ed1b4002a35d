#include "harness/trial/processes/trial_actions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using std::chrono::nanoseconds;

// How soon an action at an event is noticed.
constexpr nanoseconds kEventPoll{200'000};

}  // namespace

TrialActions::TrialActions(const std::vector<TrialAction>& actions, TrialProcesses& processes,
                           std::uint64_t record_start_ns, Started started)
    : processes_(processes),
      clock_(processes.memory().plan().clock),
      times_(actions, processes.memory().plan().load, record_start_ns,
             processes.memory().plan().run),
      started_(std::move(started)),
      switches_(processes.memory()) {}

void TrialActions::carry_out(std::uint64_t events) {
  while (const std::optional<DueAction> due = times_.take(clock_.now_ns(), events)) {
    act(*due, events);
  }
}

nanoseconds TrialActions::wait() const {
  nanoseconds wait = kPollInterval;
  if (times_.waits_for_events()) wait = std::min(wait, kEventPoll);
  if (const std::optional<std::uint64_t> next_ns = times_.next_ns()) {
    const std::uint64_t now_ns = clock_.now_ns();
    const auto left = static_cast<std::int64_t>(*next_ns > now_ns ? *next_ns - now_ns : 0);
    wait = std::min(wait, nanoseconds(left));
  }
  return wait;
}

void TrialActions::act(const DueAction& due, std::uint64_t events) {
  const ActionDone action{.what = due.what,
                          .who = due.who,
                          .process = "",
                          .at_ns = clock_.now_ns(),
                          .event = events,
                          .refused = ""};
  if (is_switch(due.what)) return switch_session(due, action);
  if (is_of_session(due.what)) return change_storage(action);
  if (is_of_further(due.what)) return start_or_end(action);
  if (due.who == ActionTarget::consumer) return act_on_consumer(action);
  const std::vector<DaemonProcess> daemons =
      due.who == ActionTarget::program ? std::vector<DaemonProcess>{} : processes_.daemons();
  if (due.who != ActionTarget::program && daemons.empty()) {
    done_.push_back(action);
    done_.back().refused = "the sink has no process of its own";
    return;
  }
  if (due.what == ActionKind::kill) processes_.expect_kill(due.who != ActionTarget::daemon);
  // The program first, so that it accepts nothing after its daemon has ended.
  if (due.who != ActionTarget::daemon) {
    ActionDone on_program = action;
    on_program.who = ActionTarget::program;
    on_program.process = "provider";
    for (const int pid : processes_.provider_pids()) send(on_program, pid);
  }
  for (const DaemonProcess& daemon : daemons) {
    ActionDone on_daemon = action;
    on_daemon.who = ActionTarget::daemon;
    on_daemon.process = daemon.name;
    send(on_daemon, daemon.pid);
  }
}

void TrialActions::act_on_consumer(ActionDone action) {
  const int pid = processes_.consumer_pid();
  if (pid == 0) {
    action.refused = "no consumer reads while the load runs";
    return done_.push_back(action);
  }
  action.process = "consumer";
  send(action, pid);
}

void TrialActions::switch_session(const DueAction& due, ActionDone action) {
  const bool of_rival = due.who == ActionTarget::rival;
  if (switch_refused_ || (!of_rival && !switches_.has_room())) return;
  const bool on = due.what == ActionKind::enable;
  switches_.begin();
  try {
    if (of_rival) {
      processes_.listen_as_rival(on, due.by);
      switches_.end_of_rival();
    } else {
      processes_.listen(on, due.by);
      switches_.end(on);
    }
  } catch (const Error& error) {
    switches_.cancel();
    switch_refused_ = true;
    action.refused = error.what_failed();
  }
  done_.push_back(action);
}

// The session rotates its files, or its disk is filled or emptied. What was refused once is not
// tried again, and neither is its end.
void TrialActions::change_storage(ActionDone action) {
  bool& refused = action.what == ActionKind::rotate ? rotate_refused_ : fill_refused_;
  if (refused) return;
  try {
    if (action.what == ActionKind::rotate) {
      processes_.rotate();
    } else if (action.what == ActionKind::free) {
      filler_.free();
    } else {
      const std::optional<std::filesystem::path> folder = processes_.own_disk();
      if (!folder) {
        throw Error("the session's files are on no file system of its own",
                    "give the sink one (disk_bytes), if it has that option");
      }
      filler_.fill(*folder);
      action.at_ns = clock_.now_ns();
    }
  } catch (const Error& error) {
    refused = true;
    action.refused = error.what_failed();
  }
  done_.push_back(std::move(action));
}

// A rival's session is switched on and off by it, as by disable and enable.
void TrialActions::start_or_end(ActionDone action) {
  const bool of_rival = action.who == ActionTarget::rival;
  if (of_rival) switches_.begin();
  try {
    if (action.what == ActionKind::start) {
      start_further(action);
    } else {
      processes_.end_further(action.who);
    }
    if (of_rival) switches_.end_of_rival();
  } catch (const Error& error) {
    if (of_rival) switches_.cancel();
    action.refused = error.what_failed();
  }
  done_.push_back(std::move(action));
}

void TrialActions::start_further(ActionDone& action) {
  const int pid = processes_.start_further(action.who);
  if (pid == 0) return;
  const bool provides = action.who == ActionTarget::program;
  action.process = provides ? "provider" : "consumer";
  started_({provides ? Role::provider : Role::consumer, action.process, pid});
}

void TrialActions::send(const ActionDone& action, int pid) {
  done_.push_back(action);
  try {
    processes_.signal(pid, action.what);
    // The stop lasts from after its signal to before the next one.
    if (action.what == ActionKind::stop) done_.back().at_ns = clock_.now_ns();
  } catch (const Error& error) {
    done_.back().refused = error.what_failed();
  }
}

void TrialActions::finish() {
  filler_.free();
  std::map<std::pair<ActionTarget, std::string>, bool> stopped;
  for (const ActionDone& action : done_) {
    if (action.refused.empty() && !is_of_session(action.what) && !is_of_further(action.what)) {
      stopped[{action.who, action.process}] = action.what == ActionKind::stop;
    }
  }
  for (const auto& [process, is_stopped] : stopped) {
    if (is_stopped) act({ActionKind::resume, process.first}, 0);
  }
}

}  // namespace tailgate
