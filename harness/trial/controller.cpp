#include "harness/trial/controller.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "harness/base/affinity.h"
#include "harness/base/process.h"
#include "harness/result/latency.h"
#include "harness/trial/collector.h"
#include "harness/trial/overhead_meter.h"
#include "harness/trial/roles.h"
#include "harness/trial/trial_context.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLook{5};                    // how often the controller looks
constexpr std::uint64_t kStartDelayNs = 2'000'000;  // from "go" to the first intended time

template <std::size_t kCount>
void fill_cpus(std::array<std::int32_t, kCount>& slots, const std::vector<int>& cpus) {
  slots.fill(-1);
  std::copy_n(cpus.begin(), std::min(cpus.size(), kCount - 1), slots.begin());
}

TrialPlan make_plan(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
                    const std::filesystem::path& directory) {
  TrialPlan plan;
  plan.run = std::random_device()();
  plan.slowest = settings.slowest;
  if (settings.trace) {
    plan.slowest = std::max(plan.slowest, explained_calls(load));
    if (load.shape != Shape::max) plan.slowest_responses = explained_calls(load);
  }
  plan.noise_ns = static_cast<std::uint64_t>(settings.noise_s * 1e9);
  plan.poll_interval_ns = static_cast<std::uint64_t>(settings.poll_interval_s * 1e9);
  plan.load = load;
  plan.clock = settings.clock;
  plan.range = settings.range;
  plan.live = resolve_consume(sink, settings.consume) == Consume::live ? 1 : 0;
  fill_cpus(plan.all_cpus, initial_cpus());
  fill_cpus(plan.load_cpus, settings.load_cpus);
  fill_cpus(plan.consumer_cpus, settings.consumer_cpus);
  fill_cpus(plan.victim_cpus, settings.victim_cpus);
  plan.sink.set(sink.text);
  plan.directory.set((directory / "sink").string());
  return plan;
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// The last line that a child process printed: what a crash or an abort had to say.
std::string last_line(const std::filesystem::path& file) {
  std::ifstream input(file);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line.substr(0, 300);
  }
  return last;
}

class TrialRun {
 public:
  TrialRun(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
           const std::filesystem::path& directory, const ProgressCallback& progress)
      : settings_(settings),
        directory_(directory),
        progress_(progress),
        consume_(resolve_consume(sink, settings.consume)),
        memory_(TrialMemory::create(make_plan(sink, load, settings, directory))),
        header_(memory_.header()),
        clock_(settings.clock),
        sink_(trial_sink(memory_.plan())),
        intervals_(memory_),
        overhead_(memory_),
        began_(std::chrono::steady_clock::now()) {
    std::filesystem::create_directories(sink_.context.directory);
    trial_.run = memory_.plan().run;
    trial_.load = describe_load(load);
    trial_.outcome = "completed";
    trial_.started_utc = utc_now();
  }

  Trial run() {
    try {
      load_phase();
    } catch (const Error& error) {
      end_as("failed", error.what());
    }
    end_provider();
    stop_session();
    read_back();
    collect();
    if (!settings_.keep_files) {
      std::error_code ignored;
      std::filesystem::remove_all(directory_, ignored);
    }
    return std::move(trial_);
  }

 private:
  // The first thing that goes wrong names the outcome.
  void end_as(const std::string& outcome, const std::string& detail) {
    if (trial_.outcome != "completed") return;
    trial_.outcome = outcome;
    trial_.outcome_detail = detail;
  }

  void report(const char* what) const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
    progress_({.what = what,
               .elapsed_s = elapsed.count(),
               .planned_s = planned_trial_s(memory_.plan().load, settings_),
               .provider_pid = provider_ ? provider_->pid() : 0});
  }

  Child start_child(const char* command, const char* log_name) {
    return Child::start_self({.arguments = {command, memory_.memory().handle()},
                              .environment = session_->environment(),
                              .inherited = {memory_.memory().native()},
                              .output = directory_ / log_name,
                              .namespace_pid = session_->namespace_pid()});
  }

  void load_phase() {
    start_session();
    trial_.granted = settings_of(session_->granted());
    provider_ = start_child(kProviderCommand, "provider.log");
    if (!wait_for_provider(Phase::ready, "opening the sink")) return;
    if (consume_ == Consume::live) {
      start_consumer();
      if (!wait_for_consumer_ready()) return;
    }
    if (!settings_.victim_cpus.empty() && !start_victim()) return;
    if (settings_.trace && !start_trace()) return;
    trial_.started_utc = utc_now();
    watch_processes();
    overhead_.begin();
    header_.go_ns.store(clock_.now_ns() + kStartDelayNs, std::memory_order_release);
    watch_load();
  }

  // True when it has done its first round.
  bool start_victim() {
    victim_ = start_child(kVictimCommand, "victim.log");
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.hang_timeout_s);
    while (header_.victim_rounds.load(std::memory_order_relaxed) == 0) {
      if (victim_->poll() || std::chrono::steady_clock::now() > deadline) {
        end_as("failed", "the victim did not start: " + last_line(directory_ / "victim.log"));
        return false;
      }
      std::this_thread::sleep_for(kLook);
    }
    return true;
  }

  // True when the load's threads are there and the trace runs.
  bool start_trace() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.hang_timeout_s);
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      while (memory_.thread(i).os_thread.load(std::memory_order_acquire) == 0) {
        if (provider_ended()) return false;
        if (std::chrono::steady_clock::now() > deadline) {
          end_as("hung", "the load's threads did not start");
          return false;
        }
        std::this_thread::sleep_for(kLook);
      }
    }
    trace_.emplace(memory_, *settings_.trace, directory_);
    return true;
  }

  void watch_processes() {
    overhead_.watch({Role::provider, "provider", provider_->pid()});
    if (victim_) overhead_.watch_victim(victim_->pid());
    if (consumer_) overhead_.watch({Role::consumer, "consumer", consumer_->pid()});
    for (const DaemonProcess& daemon : session_->daemons()) {
      overhead_.watch({Role::daemons, daemon.name, daemon.pid});
    }
  }

  // Daemons run where the system puts them, as they would without us, not on our processor.
  void start_session() {
    session_ = sink_.type->make_session(sink_.context);
    const ScopedAffinity restore;
    bind_this_thread(initial_cpus());
    session_->start();
    session_started_ = true;
  }

  static std::vector<Setting> settings_of(
      const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::vector<Setting> settings;
    for (const auto& [name, value] : pairs) settings.push_back({name, value});
    return settings;
  }

  // True when the provider got that far; otherwise the outcome says why not.
  bool wait_for_provider(Phase wanted, const char* doing) {
    const double limit_s = settings_.hang_timeout_s + settings_.noise_s;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit_s);
    while (true) {
      const Phase phase = header_.provider.phase.load(std::memory_order_acquire);
      if (phase == Phase::failed) {
        end_as("failed", header_.provider.error.get());
        return false;
      }
      if (phase >= wanted) return true;
      if (provider_ended()) return false;
      if (InterruptFlag::raised()) {
        end_as("interrupted", std::string("while ") + doing);
        return false;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        end_as("hung", fmt::format("{} took longer than {:.3g} s", doing, limit_s));
        return false;
      }
      report(doing);
      std::this_thread::sleep_for(kLook);
    }
  }

  // True when the process is gone without having finished; the outcome is then set.
  bool provider_ended() {
    const std::optional<ChildEnd> end = provider_->poll();
    if (!end) return false;
    const Phase phase = header_.provider.phase.load(std::memory_order_acquire);
    if (phase == Phase::done) return true;
    if (phase == Phase::failed) {
      end_as("failed", header_.provider.error.get());
      return true;
    }
    provider_end_ = end->text();
    const std::string said = last_line(directory_ / "provider.log");
    const std::string detail =
        "the provider ended by " + provider_end_ + (said.empty() ? "" : "; it said: " + said);
    end_as(end->killed() ? "killed" : "crashed", detail);
    return true;
  }

  void watch_load() {
    const std::uint64_t record_start_ns =
        header_.go_ns.load() + static_cast<std::uint64_t>(memory_.plan().load.warmup_s * 1e9);
    const auto interval_ns = static_cast<std::uint64_t>(settings_.interval_s * 1e9);
    std::uint64_t next_cut_ns = record_start_ns + interval_ns;
    bool warming_up = memory_.plan().load.warmup_s > 0;
    while (header_.provider.phase.load(std::memory_order_acquire) < Phase::closing) {
      if (provider_ended()) return;
      if (InterruptFlag::raised()) return interrupt();
      if (load_hangs()) return;
      const std::uint64_t now_ns = clock_.now_ns();
      if (warming_up && now_ns >= record_start_ns) {
        overhead_.begin();
        warming_up = false;
      }
      if (now_ns >= next_cut_ns) {
        intervals_.cut(now_ns);
        overhead_.cut();
        next_cut_ns += interval_ns;
      }
      report("load");
      std::this_thread::sleep_for(kLook);
    }
    wait_for_provider(Phase::done, "closing the sink");
  }

  void interrupt() {
    end_as("interrupted", "by the user, during the load");
    header_.stop.store(1, std::memory_order_release);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (header_.provider.phase.load() < Phase::done && !provider_->poll() &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kLook);
    }
  }

  bool load_hangs() {
    const std::uint64_t now_ns = clock_.now_ns();
    for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
      const ThreadBlock& thread = memory_.thread(i);
      const std::uint64_t finished = thread.finished.load(std::memory_order_acquire);
      const std::uint64_t started = thread.started.load(std::memory_order_acquire);
      const std::uint64_t since_ns = thread.last_start_ns.load();
      if (started == finished || since_ns == 0 || now_ns < since_ns) continue;
      const double age_s = static_cast<double>(now_ns - since_ns) / 1e9;
      if (age_s < settings_.hang_timeout_s) continue;
      end_as("hung", fmt::format("event {} of thread {}: the call had not returned after {:.3g} s",
                                 finished, i, age_s));
      return true;
    }
    return false;
  }

  // Nothing of what was measured is lost by ending the process here: it is in the shared memory.
  void end_provider() {
    if (!provider_) return;
    if (trace_) trace_->stop();
    overhead_.end();
    if (victim_) victim_->kill();
    header_.sampled.store(1, std::memory_order_release);
    const bool done = header_.provider.phase.load(std::memory_order_acquire) == Phase::done;
    const std::optional<ChildEnd> end = provider_->wait_for(milliseconds(done ? 2000 : 0));
    if (!end) {
      provider_end_ = provider_->kill().text();
      if (done) add_remark("the provider process did not exit after it was done", "");
    }
    intervals_.cut(clock_.now_ns());
  }

  void stop_session() {
    if (!session_started_) return;
    report("stopping the session");
    try {
      session_->stop();
    } catch (const Error& error) {
      add_remark(error.what_failed(), error.remedy());
    }
  }

  void start_consumer() {
    try {
      consumer_ = start_child(kConsumerCommand, "consumer.log");
    } catch (const Error& error) {
      add_remark(error.what_failed(), error.remedy());
    }
  }

  bool wait_for_consumer_ready() {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.hang_timeout_s);
    while (consumer_ && header_.consumer.phase.load(std::memory_order_acquire) < Phase::ready) {
      if (consumer_->poll() || std::chrono::steady_clock::now() > deadline) break;
      std::this_thread::sleep_for(kLook);
    }
    if (header_.consumer.phase.load() == Phase::ready) return true;
    end_as("failed", "the consumer did not start: " + header_.consumer.error.get());
    return false;
  }

  void read_back() {
    if (consume_ == Consume::none || header_.go_ns.load() == 0) return;
    header_.session_over.store(1, std::memory_order_release);
    if (!consumer_) start_consumer();
    if (!consumer_) return;
    std::uint64_t seen = header_.consumer.events.load();
    auto deadline = std::chrono::steady_clock::now();
    const auto patience = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(settings_.hang_timeout_s));
    deadline += patience;
    while (!consumer_->poll()) {
      report("reading back");
      const std::uint64_t events = header_.consumer.events.load();
      if (events != seen) deadline = std::chrono::steady_clock::now() + patience;
      seen = events;
      if (std::chrono::steady_clock::now() > deadline || InterruptFlag::raised()) break;
      std::this_thread::sleep_for(kLook);
    }
    const ChildEnd end = consumer_->kill();
    read_back_ = header_.consumer.phase.load(std::memory_order_acquire) == Phase::done;
    if (read_back_) return;
    const std::string why =
        header_.consumer.phase.load() == Phase::failed
            ? header_.consumer.error.get()
            : "the consumer ended by " + end.text() + " after " + std::to_string(seen) + " events";
    add_remark("the events could not be read back: " + why,
               "the ledger of this trial is not checked");
  }

  void collect() {
    report("collecting");
    collect_measurements(memory_, trial_);
    trial_.intervals = intervals_.intervals(trial_.start_ns);
    overhead_.report(trial_);
    add_cpu_of_stopping();
    trial_.ledger = balance_ledger(
        memory_, {.read_back = read_back_,
                  .accounts_losses = sink_.capabilities.accounts_losses,
                  .session_losses = session_ ? session_->losses() : std::vector<Loss>{},
                  .provider_end = provider_end_});
    collect_consumer();
    add_remarks(memory_, trial_);
    if (trace_) explain();
  }

  void explain() {
    report("explaining slow calls");
    try {
      trial_.explanation = trace_->explain();
    } catch (const Error& error) {
      add_remark("slow calls could not be explained: " + error.what_failed(), error.remedy());
    }
    trace_.reset();
    const std::size_t kept = std::size_t{settings_.slowest} * memory_.plan().load.threads;
    trial_.slowest.resize(std::min(trial_.slowest.size(), kept));
  }

  void add_cpu_of_stopping() {
    if (!session_) return;
    const std::vector<std::uint64_t> used_ns = session_->daemons_cpu_in_stop_ns();
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
    trial_.consumer.mode = consume_ == Consume::live    ? "live"
                           : consume_ == Consume::after ? "after"
                                                        : "none";
    trial_.consumer.events = consumer.events.load();
    trial_.consumer.bytes = consumer.bytes.load();
    trial_.consumer.read_s = static_cast<double>(consumer.busy_ns.load()) / 1e9;
    if (consume_ != Consume::live) return;
    trial_.consumer.poll_interval_s = settings_.poll_interval_s;
    const Histogram delivery = snapshot(memory_.layout(), memory_.delivery_words());
    if (delivery.total_count() > 0) trial_.consumer.delivery = make_latency(delivery);
  }

  void add_remark(const std::string& what, const std::string& remedy) {
    trial_.remarks.push_back({what, remedy});
  }

  const TrialSettings& settings_;
  const std::filesystem::path& directory_;
  const ProgressCallback& progress_;
  const Consume consume_;
  TrialMemory memory_;
  TrialHeader& header_;
  Clock clock_;
  TrialSink sink_;
  IntervalCollector intervals_;
  OverheadMeter overhead_;
  std::chrono::steady_clock::time_point began_;
  std::unique_ptr<Session> session_;
  bool session_started_ = false;
  std::optional<Child> provider_;
  std::optional<Child> consumer_;
  std::optional<Child> victim_;
  std::optional<TrialTrace> trace_;
  std::string provider_end_;
  bool read_back_ = false;
  Trial trial_;
};

}  // namespace

Consume parse_consume(std::string_view text) {
  if (text == "auto") return Consume::automatic;
  if (text == "live") return Consume::live;
  if (text == "after") return Consume::after;
  if (text == "none") return Consume::none;
  throw Error(fmt::format("consume '{}' is not known", text), "give auto, live, after or none");
}

Consume resolve_consume(const SinkChoice& sink, Consume wanted) {
  const Capabilities can = sink.type->capabilities(sink.options);
  if (wanted == Consume::live && !can.live_read) {
    throw Error(fmt::format("sink '{}' cannot be read while the load runs", sink.text),
                can.read_back ? "use --consume after" : "use --consume none");
  }
  if (wanted == Consume::after && !can.read_back) {
    throw Error(fmt::format("sink '{}' cannot be read back", sink.text), "use --consume none");
  }
  if (wanted != Consume::automatic) return wanted;
  return can.live_read ? Consume::live : can.read_back ? Consume::after : Consume::none;
}

double planned_trial_s(const LoadPlan& load, const TrialSettings& settings) {
  const double loaded_s = load.duration_s > 0 ? load.duration_s
                          : load.shape == Shape::max
                              ? 1
                              : static_cast<double>(load.events) / load.rate_hz;
  constexpr double kProcessesS = 0.15;  // starting and ending them, the floor
  return load.warmup_s + loaded_s + settings.noise_s + kProcessesS;
}

Trial run_trial(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
                const std::filesystem::path& directory, const ProgressCallback& progress) {
  return TrialRun(sink, load, settings, directory, progress).run();
}

}  // namespace tailgate
