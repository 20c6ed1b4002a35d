#include "harness/trial/processes/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

#include "harness/explain/kernel_groups.h"
#include "harness/result/latency.h"
#include "harness/trial/collector.h"
#include "harness/trial/early_end.h"
#include "harness/trial/kept_events.h"
#include "harness/trial/line_comparison.h"
#include "harness/trial/neighbour_meter.h"
#include "harness/trial/overhead_meter.h"
#include "harness/trial/processes/processes.h"
#include "harness/trial/processes/trial_actions.h"
#include "harness/trial/result_facts.h"
#include "harness/trial/storage_meter.h"
#include "harness/trial/thread_counts.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {
namespace {

constexpr const char* kControllerEnded =
    "the controller ended during the load; this is its last checkpoint";
constexpr std::uint64_t kStartDelayNs = 2'000'000;  // from go_ns to the first intended time
// At the load's end a traced trial waits at most this long until the live reader has seen all
// events.
constexpr std::chrono::milliseconds kLastDeliveriesWithin{300};

class TrialRun {
 public:
  TrialRun(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
           const std::filesystem::path& directory, const ProgressCallback& progress)
      : settings_(settings),
        directory_(directory),
        progress_(progress),
        roles_({.sink = sink, .load = load, .settings = settings, .directory = directory},
               [this](const char* what) { report(what); }),
        memory_(roles_.memory()),
        header_(memory_.header()),
        clock_(settings.clock),
        intervals_(memory_),
        overhead_(settings.clock, directory_, [this] { return load_counts(); }),
        limits_(settings.end_limits),
        neighbours_(clock_, settings.load_cpus, settings.consumer_cpus),
        began_(std::chrono::steady_clock::now()) {
    trial_.run = memory_.plan().run;
    trial_.load = describe_load(load);
    trial_.started_utc = utc_now();
  }

  Trial run() {
    try {
      load_phase();
    } catch (const Error& error) {
      roles_.end_as(TrialOutcome::failed, error.what());
    }
    end_load();
    roles_.stop_session();
    roles_.read_back();
    collect();
    roles_.remove_files();
    return std::move(trial_);
  }

 private:
  LoadCounts load_counts() const {
    LoadCounts counts{.spun_ns = 0};
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      const ThreadBlock& thread = memory_.thread(i);
      counts.events += thread.finished.load(std::memory_order_acquire);
      *counts.spun_ns += thread.spun_ns.load(std::memory_order_relaxed);
    }
    counts.victim_rounds = header_.victim_rounds.load(std::memory_order_relaxed);
    return counts;
  }

  void report(const char* what) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    progress_({.what = what,
               .elapsed_s = elapsed.count(),
               .planned_s = planned_trial_s(memory_.plan().load, settings_),
               .provider_pid = roles_.provider_pid()});
  }

  void load_phase() {
    roles_.start_session();
    look_at_neighbours();
    if (!roles_.start_provider() || !roles_.start_live_consumer()) return;
    if (!settings_.victim_cpus.empty() && !roles_.start_victim()) return;
    if (settings_.trace && !start_trace()) return;
    if (settings_.kernel_group) kernel_events_.emplace(directory_, *settings_.kernel_group);
    trial_.started_utc = utc_now();
    if (settings_.watch_storage) {
      storage_.emplace(settings_.clock, directory_);
      if (const auto folder = roles_.own_disk()) storage_->add(*folder);
    }
    watch_processes();
    look_at_neighbours();
    begin_overhead();
    header_.go_ns.store(clock_.now_ns() + kStartDelayNs, std::memory_order_release);
    watch_load();
  }

  // Returns whether the load's threads exist and the trace runs.
  bool start_trace() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.hang_timeout_s);
    const auto started = static_cast<unsigned>(roles_.provider_pids().size());
    for (unsigned i = 0; i < started * threads_each(memory_.plan().load); ++i) {
      while (memory_.thread(i).os_thread.load(std::memory_order_acquire) == 0) {
        if (roles_.provider_ended()) return false;
        if (std::chrono::steady_clock::now() > deadline) {
          roles_.end_as(TrialOutcome::hung, "the load's threads did not start");
          return false;
        }
        std::this_thread::sleep_for(kPollInterval);
      }
    }
    trace_.emplace(memory_, TrialTracePlan{.method = *settings_.trace,
                                           .directory = directory_,
                                           .processes = roles_.processes(),
                                           .functions = settings_.trace_functions,
                                           .sample_hz = settings_.sample_hz});
    return true;
  }

  void watch_processes() {
    for (const WatchedProcess& process : roles_.processes()) overhead_.watch(process);
    if (roles_.victim_pid() != 0) overhead_.watch_victim(roles_.victim_pid());
  }

  void look_at_neighbours() {
    std::vector<int> own;
    for (const WatchedProcess& process : roles_.processes()) own.push_back(process.pid);
    neighbours_.look(own);
  }

  void begin_overhead() {
    const std::vector<int> pids = roles_.provider_pids();
    const LoadPlan& plan = memory_.plan().load;
    std::vector<LoadThreadId> load;
    for (unsigned i = 0; i < pids.size() * threads_each(plan); ++i) {
      const auto thread = memory_.thread(i).os_thread.load(std::memory_order_acquire);
      if (thread == 0) continue;  // of a process that has just been started
      load.push_back({.pid = pids.at(i / threads_each(plan)), .thread = thread});
    }
    neighbours_.begin_load(load);
    overhead_.begin();
  }

  // When recording starts; 0: the load has not been started.
  std::uint64_t record_start_ns() const {
    const std::uint64_t go_ns = header_.go_ns.load();
    const double warmup_ns = memory_.plan().load.warmup_s * 1e9;
    return go_ns == 0 ? 0 : go_ns + static_cast<std::uint64_t>(warmup_ns);
  }

  void watch_load() {
    const std::uint64_t record_start_ns = this->record_start_ns();
    const auto interval_ns = static_cast<std::uint64_t>(settings_.interval_s * 1e9);
    const auto checkpoint_ns = static_cast<std::uint64_t>(settings_.checkpoint_s * 1e9);
    std::uint64_t next_cut_ns = record_start_ns + interval_ns;
    std::uint64_t next_checkpoint_ns = record_start_ns + checkpoint_ns;
    if (!settings_.actions.empty()) {
      actions_.emplace(settings_.actions, roles_, record_start_ns,
                       [this](const WatchedProcess& process) { overhead_.watch(process); });
    }
    bool warming_up = memory_.plan().load.warmup_s > 0;
    while (roles_.provider_phase() < Phase::closing) {
      if (roles_.provider_ended()) return;
      if (InterruptFlag::raised()) return roles_.interrupt();
      if (roles_.load_hangs(header_.go_ns.load())) return;
      const std::uint64_t now_ns = clock_.now_ns();
      if (warming_up && now_ns >= record_start_ns) {
        begin_overhead();
        warming_up = false;
      }
      if (now_ns >= next_cut_ns) {
        std::vector<RoleUse> uses = overhead_.cut();
        end_at_limits(now_ns, uses);
        if (!cut(now_ns, std::move(uses))) return;
        next_cut_ns += interval_ns;
      }
      if (checkpoint_ns > 0 && now_ns >= next_checkpoint_ns) {
        report_so_far();
        next_checkpoint_ns = clock_.now_ns() + checkpoint_ns;
      }
      neighbours_.follow_load();
      if (storage_) storage_->look();
      report("load");
      if (actions_) actions_->carry_out(load_counts().events);
      std::this_thread::sleep_for(actions_ ? actions_->wait() : kPollInterval);
    }
    if (actions_) actions_->finish();
    roles_.wait_for_provider(Phase::done, "closing the sink");
  }

  // How far the load is behind its schedule.
  double late_s(std::uint64_t now_ns) const {
    double late_s = 0;
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      const std::uint64_t intended_ns = memory_.thread(i).last_intended_ns.load();
      if (intended_ns == 0 || intended_ns >= now_ns) continue;
      late_s = std::max(late_s, static_cast<double>(now_ns - intended_ns) / 1e9);
    }
    return late_s;
  }

  void end_at_limits(std::uint64_t now_ns, const std::vector<RoleUse>& uses) {
    if (!settings_.end_limits.any() || trial_.ended_early) return;
    EndSigns signs{.at_ns = now_ns, .late_s = late_s(now_ns)};
    add_levels(uses, signs);
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      signs.refused_events += refusals_of(memory_.thread(i));
    }
    std::error_code failed;
    const std::filesystem::space_info space = std::filesystem::space(directory_, failed);
    if (!failed) signs.free_bytes = space.available;
    trial_.ended_early = limits_.look(signs);
    if (trial_.ended_early) roles_.end_load();
  }

  // The trial as it would be if the controller were killed now.
  void report_so_far() const {
    Trial trial = trial_;
    trial.outcome = TrialOutcome::interrupted;
    trial.outcome_detail = kControllerEnded;
    trial.granted = roles_.granted();
    trial.remarks = roles_.remarks();
    collect_measurements(memory_, trial);
    trial.intervals = intervals_.so_far();
    trial.ledger = roles_.unread_ledger(kControllerEnded);
    trial.consumer.mode = roles_.consumer_mode();
    if (storage_) trial.storage = storage_->so_far();
    progress_({.what = "checkpoint", .so_far = &trial});
  }

  void end_load() {
    if (!roles_.provider_started()) return;
    if (actions_) actions_->finish();
    if (trace_) {
      wait_for_last_deliveries();
      trace_->stop();
    }
    if (kernel_events_) kernel_events_->stop();
    std::vector<RoleUse> uses = overhead_.end();
    look_at_neighbours();
    roles_.end_provider();
    const bool whole_load = roles_.went_well() && roles_.provider_phase() == Phase::done;
    const std::string damage = why_not_measured(memory_, whole_load);
    if (damage.empty()) {
      record_pending_calls(memory_);
      cut(clock_.now_ns(), std::move(uses));
    } else {
      end_as_damaged(damage);
      discard_measurements(memory_);
    }
  }

  // Keeps the trace running until the live reader has seen the load's last events, so that their
  // deliveries can be explained.
  void wait_for_last_deliveries() {
    if (memory_.plan().slow_deliveries == 0) return;
    const auto deadline = std::chrono::steady_clock::now() + kLastDeliveriesWithin;
    std::uint64_t emitted = 0;
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      emitted += memory_.thread(i).finished.load(std::memory_order_acquire);
    }
    while (header_.consumer.events.load() < emitted &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kPollInterval);
    }
  }

  void end_as_damaged(const std::string& damage) {
    roles_.end_as(TrialOutcome::failed,
                  "the histograms in the shared memory are damaged: " + damage);
  }

  // Ends an interval. Returns false if the histograms' counts cannot be, such as smaller ones than
  // before.
  bool cut(std::uint64_t now_ns, std::vector<RoleUse> uses) {
    try {
      intervals_.cut(record_start_ns(), now_ns, std::move(uses));
      return true;
    } catch (const Error& error) {
      end_as_damaged(error.what_failed());
      return false;
    }
  }

  void collect() {
    report("collecting");
    trial_.outcome = roles_.outcome();
    trial_.outcome_detail = roles_.outcome_detail();
    trial_.granted = roles_.granted();
    trial_.remarks = roles_.remarks();
    collect_measurements(memory_, trial_);
    intervals_.report(trial_);
    overhead_.report(trial_);
    neighbours_.report(trial_);
    add_cpu_of_stopping();
    trial_.ledger = roles_.ledger();
    trial_.survival = roles_.survival();
    if (kernel_events_) trial_.kernel_events = kernel_events_->use();
    collect_storage();
    if (actions_) {
      trial_.actions = actions_->take();
      trial_.switching = actions_->switching(roles_.switched_events());
      if (trial_.switching) trial_.switching->commands = roles_.commands();
      if (auto further = roles_.further(); !further.empty()) trial_.further = std::move(further);
    }
    collect_consumer();
    judge_missed_rate(memory_, trial_);
    add_remarks(memory_, trial_);
    const std::string& language = roles_.capabilities().driver_language;
    if (!language.empty()) {
      trial_.remarks.push_back(
          {"a program in " + language +
               " made the calls: the floor, and what the provider used, are those of its loop",
           "compare it with sinks that are driven in the same language"});
    }
    if (trace_) explain();
  }

  void explain() {
    report("explaining slow calls");
    try {
      trial_.explanation = trace_->explain();
    } catch (const Error& error) {
      trial_.remarks.push_back(
          {"slow calls could not be explained: " + error.what_failed(), error.remedy()});
    }
    trace_.reset();
    const std::size_t kept = std::size_t{settings_.slowest} * memory_.plan().load.threads;
    trial_.slowest.resize(std::min(trial_.slowest.size(), kept));
  }

  void collect_storage() {
    if (!storage_) return;
    trial_.storage = storage_->take();
    if (trial_.ledger.checked) trial_.kept_events = kept_events_of(memory_);
  }

  void add_cpu_of_stopping() {
    const std::vector<std::uint64_t> used_ns = roles_.daemons_cpu_in_stop_ns();
    for (std::size_t i = 0; i < std::min(used_ns.size(), trial_.daemons.size()); ++i) {
      if (trial_.daemons[i].cpu_ns) *trial_.daemons[i].cpu_ns += used_ns[i];
    }
    if (!trial_.overhead) return;
    Counters::Count& of_role =
        trial_.overhead->roles.at(static_cast<std::size_t>(Role::daemons)).counters.cpu_ns;
    if (of_role) *of_role += std::accumulate(used_ns.begin(), used_ns.end(), std::uint64_t{0});
  }

  void collect_consumer() {
    const ConsumerBlock& consumer = header_.consumer;
    trial_.consumer.mode = roles_.consumer_mode();
    trial_.consumer.events = consumer.events.load();
    trial_.consumer.bytes = consumer.bytes.load();
    trial_.consumer.read_s = static_cast<double>(consumer.busy_ns.load()) / 1e9;
    if (consumer.copy_count.load(std::memory_order_acquire) > 0) {
      trial_.copies = copies_read(memory_, roles_.copy_names());
    }
    if (trial_.consumer.mode != ConsumerMode::live) return;
    trial_.consumer.poll_interval_s = settings_.poll_interval_s;
    const Histogram delivery = snapshot(memory_.layout(), memory_.delivery_words());
    if (delivery.total_count() > 0) trial_.consumer.delivery = make_latency(delivery);
  }

  const TrialSettings& settings_;
  const std::filesystem::path& directory_;
  const ProgressCallback& progress_;
  TrialProcesses roles_;
  TrialMemory& memory_;
  TrialHeader& header_;
  Clock clock_;
  IntervalCollector intervals_;
  OverheadMeter overhead_;
  EarlyEndWatch limits_;
  NeighbourMeter neighbours_;
  std::chrono::steady_clock::time_point began_;
  std::optional<TrialTrace> trace_;
  std::optional<activity::KernelEvents> kernel_events_;
  std::optional<TrialActions> actions_;
  std::optional<StorageMeter> storage_;
  Trial trial_;
};

}  // namespace

double planned_trial_s(const LoadPlan& load, const TrialSettings& settings) {
  const double loaded_s = load.duration_s > 0 ? load.duration_s
                          : load.shape == Shape::max
                              ? 1
                              : static_cast<double>(load.events) / load.rate_hz;
  constexpr double kProcessesS =
      0.15;  // for starting and ending processes, and measuring the floor
  return load.warmup_s + loaded_s + settings.noise_s + kProcessesS;
}

Trial run_trial(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
                const std::filesystem::path& directory, const ProgressCallback& progress) {
  return TrialRun(sink, load, settings, directory, progress).run();
}

}  // namespace tailgate
