// The session, the provider processes and the consumer process of a trial, or of one side of a
// duet's round: starts, watches and ends them, and records the outcome. The caller controls the
// load and the measurements.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/os/process.h"
#include "harness/overhead/sampler.h"
#include "harness/result/action.h"
#include "harness/result/result.h"
#include "harness/trial/further_parts.h"
#include "harness/trial/processes/trial_plan.h"
#include "harness/trial/processes/trial_sink.h"
#include "harness/trial/settings.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// How often the controller polls the other processes.
inline constexpr std::chrono::milliseconds kPollInterval{5};

class TrialProcesses {
 public:
  using Report = std::function<void(const char* what)>;  // called during waits

  // Creates the shared memory and the folder. Throws Error.
  TrialProcesses(const ProcessesPlan& plan, Report report);
  TrialProcesses(const TrialProcesses&) = delete;
  TrialProcesses& operator=(const TrialProcesses&) = delete;

  TrialMemory& memory() { return memory_; }
  ConsumerMode consumer_mode() const { return consumer_mode_; }
  const Capabilities& capabilities() const { return sink_.capabilities; }
  // The copies that the sink makes of each event, which are one with its own name for most.
  std::vector<std::string> copy_names() const;

  // Throws Error if the session or the process cannot be started.
  void start_session();
  // The next four return true if the process got that far; otherwise the outcome says why not.
  bool start_provider();
  bool start_live_consumer();  // does nothing if the consumer reads afterwards
  bool start_victim();         // waits for its first round
  bool wait_for_provider(Phase wanted, const char* doing);

  bool provider_started() const { return !providers_.empty(); }
  // Of the first provider process; 0: not started.
  int provider_pid() const { return providers_.empty() ? 0 : providers_.front().pid(); }
  std::vector<int> provider_pids() const;
  int consumer_pid() const { return consumer_ ? consumer_->pid() : 0; }
  // The phase that all provider processes have reached; failed if one of them has.
  Phase provider_phase() const;
  int victim_pid() const { return victim_ ? victim_->pid() : 0; }
  // All processes that a sampler may watch, without the victim.
  std::vector<WatchedProcess> processes() const;

  // Number of events, of any kind, that the consumer has read so far.
  std::uint64_t consumed() const { return header_.consumer.events.load(); }

  // Returns whether all provider processes have ended, or one that had not finished, which sets the
  // outcome.
  bool provider_ended();
  // Returns whether a call has not returned for too long, or none has begun for too long though one
  // was due; if so, sets the outcome. The load has run without a pause since running_since_ns.
  bool load_hangs(std::uint64_t running_since_ns);
  // Tells the load's threads to end at their next event; the provider then closes the sink.
  void end_load();
  // Stops the load for the user's interrupt and gives the provider two seconds to close.
  void interrupt();

  // The scenario acts. expect_kill: the load's end by a kill is then what was planned; call it
  // before the kill. program: the provider is killed, too. signal() throws Error.
  void expect_kill(bool program);
  void signal(int pid, ActionKind what);
  std::vector<DaemonProcess> daemons() const;
  // Throws Error if the session cannot be switched in that way.
  void listen(bool on, SwitchWay way) { session_->listen(on, way); }
  // The same for the session of a rival controller.
  void listen_as_rival(bool on, SwitchWay way) { session_->listen_as_rival(on, way); }
  // Throws Error if the session has no files to rotate, or did not.
  void rotate() { session_->rotate(); }
  // The folder of the session's files on a file system of its own, if it has one.
  std::optional<std::filesystem::path> own_disk() const { return session_->own_disk(); }
  // Starts a further provider or consumer process, of which it returns the number, or a rival's
  // session: 0. Throws Error if the sink cannot have one. Nobody waits until it is ready.
  int start_further(ActionTarget who);
  // The one of that kind that was started first, and runs, is to end. Throws Error.
  void end_further(ActionTarget who);
  // What became of their events; after read_back().
  std::vector<FurtherUse> further() const { return further_.uses(ledger_); }

  // What became of the events around the switches; after read_back(). Nothing if there were none,
  // or if the ledger is unchecked.
  std::optional<SwitchedEvents> switched_events() const;
  // After the session has been stopped.
  std::optional<SwitchCommands> commands() const;

  // What became of the events when the scenario killed a process; after read_back(). Nothing if it
  // killed none, or if the ledger is unchecked.
  std::optional<Survival> survival() const;

  // Ends the provider. No measurement is lost, since all are in the shared memory.
  void end_provider();
  void stop_session();
  // Lets the consumer read the remaining events to the end, if there was a load and there is a
  // consumer, and balances the ledger. If it cannot, the ledger is unchecked, and so is the outcome
  // of a load that went well.
  void read_back();
  // Removes the trial's folder unless the settings keep it.
  void remove_files();

  // Sets the outcome; only the first call has an effect.
  void end_as(TrialOutcome outcome, const std::string& detail);
  TrialOutcome outcome() const { return outcome_; }
  const std::string& outcome_detail() const { return outcome_detail_; }
  bool went_well() const;

  const std::vector<Setting>& granted() const { return granted_; }
  const std::vector<Remark>& remarks() const { return remarks_; }
  const LedgerAccount& ledger() const { return ledger_; }     // after read_back()
  LedgerAccount unread_ledger(const std::string& why) const;  // before it
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const;  // after stop_session()

  // How long the sink's own steps took: starting its session and opening it, warm-up included;
  // closing it and stopping its session. Nothing if one of them was not made, or by a program in
  // another language, which does not tell.
  std::optional<std::uint64_t> start_ns() const;
  std::optional<std::uint64_t> stop_ns() const;

 private:
  int start_next_provider();
  int start_further_consumer(unsigned number);
  void read_further();
  Child start_child(const char* command, const std::string& log_name, unsigned process = 0);
  std::string provider_error() const;
  bool ended_too_early(unsigned process, const ChildEnd& end);
  void start_consumer();
  bool wait_for_consumer_ready();
  std::string why_consumer_not_ready();
  bool call_hangs(std::uint64_t now_ns);
  bool load_stands_still(std::uint64_t now_ns, std::uint64_t running_since_ns);
  // Waits until the consumer has ended, and returns true, or makes no progress; after the user's
  // interrupt for three seconds at most.
  bool wait_for_consumer_end();
  std::string read_events();
  std::string why_not_read_back(const ChildEnd& end, bool ended_itself) const;
  std::string last_line(const std::string& log_name) const;
  void add_remark(const std::string& what, const std::string& remedy);
  std::chrono::milliseconds hang_timeout() const;
  std::chrono::steady_clock::time_point patience() const;

  const TrialSettings& settings_;
  const std::filesystem::path& directory_;
  std::filesystem::path program_;
  std::vector<std::pair<std::string, std::string>> environment_;
  Report report_;
  ConsumerMode consumer_mode_;
  TrialMemory memory_;
  TrialHeader& header_;
  Clock clock_;
  TrialSink sink_;
  std::unique_ptr<Session> session_;
  bool session_started_ = false;
  std::uint64_t session_start_ns_ = 0;
  std::optional<std::uint64_t> session_stop_ns_;
  std::vector<Child> providers_;
  std::optional<Child> consumer_;
  std::optional<Child> victim_;
  std::vector<Child> further_consumers_;
  FurtherParts further_;
  TrialOutcome outcome_ = TrialOutcome::completed;
  std::string outcome_detail_;
  std::string provider_end_;
  std::string session_failure_;
  std::string consumer_failure_;
  LedgerAccount ledger_;
  std::vector<Setting> granted_;
  std::vector<Remark> remarks_;
  bool kill_planned_ = false;           // of a process of the trial …
  bool provider_kill_planned_ = false;  // … and of the provider
};

}  // namespace tailgate
