// The session, the provider process and the consumer process of one trial, or of one side of a
// duet's round: starts them, watches them, ends them, and says how that went. What loads and what
// is measured meanwhile is the caller's.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/process.h"
#include "harness/overhead/sampler.h"
#include "harness/result/result.h"
#include "harness/trial/controller.h"
#include "harness/trial/trial_context.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// How often the controller looks at the others.
inline constexpr std::chrono::milliseconds kLook{5};

struct RolesPlan {
  const SinkChoice& sink;
  const LoadPlan& load;
  const TrialSettings& settings;           // outlives the roles
  const std::filesystem::path& directory;  // must not exist yet; outlives the roles
  SlicePlan slices = {};
  std::filesystem::path program = {};  // of provider and consumer; empty: this one
};

class TrialRoles {
 public:
  using Report = std::function<void(const char* what)>;  // called while something is waited for

  // Creates the shared memory and the folder. Throws Error.
  TrialRoles(const RolesPlan& plan, Report report);
  TrialRoles(const TrialRoles&) = delete;
  TrialRoles& operator=(const TrialRoles&) = delete;

  TrialMemory& memory() { return memory_; }
  Consume consume() const { return consume_; }
  const Capabilities& capabilities() const { return sink_.capabilities; }

  // Throws Error when the session or the process cannot be started.
  void start_session();
  // The next four: true when the process has got that far; otherwise the outcome says why not.
  bool start_provider();
  bool start_live_consumer();  // does nothing when the consumer reads afterwards
  bool start_victim();         // has done its first round
  bool wait_for_provider(Phase wanted, const char* doing);

  bool provider_started() const { return provider_.has_value(); }
  int provider_pid() const { return provider_ ? provider_->pid() : 0; }
  int victim_pid() const { return victim_ ? victim_->pid() : 0; }
  // All that a sampler may watch, the victim not among them.
  std::vector<WatchedProcess> processes() const;

  // Events, of any kind, that the consumer has handed over so far.
  std::uint64_t consumed() const { return header_.consumer.events.load(); }

  // True when the provider process is gone without having finished; the outcome is then set.
  bool provider_ended();
  // True when a call has not returned for too long; the outcome is then set.
  bool load_hangs();
  // Stops the load for the user's interrupt and gives the provider two seconds to close.
  void interrupt();

  // Nothing of what was measured is lost by ending the process here: it is in the shared memory.
  void end_provider();
  void stop_session();
  // Reads to the end what the session has left, if there was a load and there is a reader.
  void read_back();
  // The trial's folder, unless the settings keep it.
  void remove_files();

  // The first thing that goes wrong names the outcome.
  void end_as(const std::string& outcome, const std::string& detail);
  const std::string& outcome() const { return outcome_; }
  const std::string& outcome_detail() const { return outcome_detail_; }
  bool went_well() const;

  const std::vector<Setting>& granted() const { return granted_; }
  const std::vector<Remark>& remarks() const { return remarks_; }
  LedgerAccount ledger() const;                               // after read_back()
  std::vector<std::uint64_t> daemons_cpu_in_stop_ns() const;  // after stop_session()

 private:
  Child start_child(const char* command, const char* log_name);
  void start_consumer();
  bool wait_for_consumer_ready();
  std::string last_line(const char* log_name) const;
  void add_remark(const std::string& what, const std::string& remedy);
  std::chrono::steady_clock::time_point patience() const;

  const TrialSettings& settings_;
  const std::filesystem::path& directory_;
  std::filesystem::path program_;
  Report report_;
  Consume consume_;
  TrialMemory memory_;
  TrialHeader& header_;
  Clock clock_;
  TrialSink sink_;
  std::unique_ptr<Session> session_;
  bool session_started_ = false;
  std::optional<Child> provider_;
  std::optional<Child> consumer_;
  std::optional<Child> victim_;
  std::string outcome_ = "completed";
  std::string outcome_detail_;
  std::string provider_end_;
  bool read_back_ = false;
  std::vector<Setting> granted_;
  std::vector<Remark> remarks_;
};

}  // namespace tailgate
