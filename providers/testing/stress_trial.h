// Whole trials, with all their processes, for the tests that drive a sink into its losses. The test
// program's main is providers/testing/role_main.cpp.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "harness/os/affinity.h"
#include "harness/os/process_stat_linux.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {

inline TrialSettings stress_settings() {
  static const ClockParameters parameters = measure_clock();
  TrialSettings settings;
  settings.clock = parameters;
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.noise_s = 0.01;
  settings.hang_timeout_s = 20;
  return settings;
}

inline LoadPlan stress_load(double rate_hz, double duration_s) {
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.duration_s = duration_s;
  load.warmup_s = 0;
  load.threads = 2;
  return load;
}

inline Trial run_stress(
    const std::string& sink, const LoadPlan& load, WantedConsumer consume = std::nullopt,
    const ProgressCallback& progress = [](const TrialProgress&) {},
    TrialSettings settings = stress_settings()) {
  settings.consumer = consume;
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial", progress);
}

inline bool balanced(const LedgerAccount& ledger) {
  return ledger.checked && ledger.unaccounted == 0 &&
         ledger.emitted == ledger.delivered + ledger.lost;
}

inline std::uint64_t lost_to(const LedgerAccount& ledger, const std::string& cause) {
  std::uint64_t events = 0;
  for (const LossCount& loss : ledger.losses) {
    if (loss.cause == cause) events += loss.events;
  }
  return events;
}

// All that a failed check needs to be understood.
inline std::string describe(const Trial& trial) {
  std::ostringstream text;
  text << trial.outcome << " " << trial.outcome_detail << "; emitted " << trial.ledger.emitted
       << " delivered " << trial.ledger.delivered << " lost " << trial.ledger.lost
       << " unaccounted " << trial.ledger.unaccounted << " damaged " << trial.ledger.damaged_bytes
       << " bytes, in flight " << trial.ledger.in_flight;
  for (const LossCount& loss : trial.ledger.losses) {
    text << "\n  " << loss.events << " " << loss.cause << " (" << loss.reported_by << ")";
  }
  for (const Remark& remark : trial.remarks) text << "\n  " << remark.what;
  return text.str();
}

inline bool remarked(const Trial& trial, const std::string& words) {
  for (const Remark& remark : trial.remarks) {
    if (remark.what.find(words) != std::string::npos) return true;
  }
  return false;
}

// The process of that name (at most 15 letters, as the kernel keeps it) that this one started; 0:
// none.
inline int child_named(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (int pid = 0; children >> pid;) {
      std::ifstream comm("/proc/" + std::to_string(pid) + "/comm");
      std::string found;
      std::getline(comm, found);
      if (found == name) return pid;
    }
  }
  return 0;
}

// Whether that process ended within 20 s; one that nobody reaped yet counts as ended.
inline bool gone_in_time(int pid) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < give_up) {
    const std::optional<ProcessStat> stat = read_process_stat(pid);
    if (!stat || stat->ended()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Does something once, when the load has run for that long.
class OnceDuringLoad {
 public:
  OnceDuringLoad(double after_s, std::function<void()> action)
      : after_s_(after_s), action_(std::move(action)) {}

  void operator()(const TrialProgress& progress) {
    if (progress.what != "load" || done_) return;
    if (began_s_ < 0) began_s_ = progress.elapsed_s;
    if (progress.elapsed_s - began_s_ < after_s_) return;
    done_ = true;
    action_();
  }

 private:
  double after_s_;
  std::function<void()> action_;
  double began_s_ = -1;
  bool done_ = false;
};

}  // namespace tailgate
