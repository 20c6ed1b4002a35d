#include "harness/trial/processes/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <thread>
#include <utility>

#include "harness/os/affinity.h"
#include "harness/result/latency.h"
#include "harness/trial/ledger.h"
#include "harness/trial/processes/role.h"
#include "harness/trial/trial_trace.h"

namespace tailgate {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

template <std::size_t kCount>
void fill_cpus(std::array<std::int32_t, kCount>& slots, const std::vector<int>& cpus) {
  slots.fill(-1);
  std::copy_n(cpus.begin(), std::min(cpus.size(), kCount - 1), slots.begin());
}

const std::vector<int>& sink_cpus(const TrialSettings& settings) {
  return settings.sink_cpus.empty() ? initial_cpus() : settings.sink_cpus;
}

TrialPlan make_plan(const ProcessesPlan& roles) {
  const TrialSettings& settings = roles.settings;
  TrialPlan plan;
  plan.run = std::random_device()();
  plan.slowest = settings.slowest;
  // A load in turns logs every call, so the trace needs no kept calls.
  if (settings.trace && roles.turns.count == 0) {
    plan.slowest = std::max(plan.slowest, explained_calls(roles.load));
    if (roles.load.shape != Shape::max) plan.slowest_responses = explained_calls(roles.load);
  }
  plan.noise_ns = static_cast<std::uint64_t>(settings.noise_s * 1e9);
  plan.poll_interval_ns = static_cast<std::uint64_t>(settings.poll_interval_s * 1e9);
  plan.load = roles.load;
  plan.turns = roles.turns;
  plan.clock = settings.clock;
  plan.range = settings.range;
  plan.live = consumer_mode(roles.sink, settings.consumer) == ConsumerMode::live ? 1 : 0;
  fill_cpus(plan.all_cpus, sink_cpus(settings));
  fill_cpus(plan.load_cpus, settings.load_cpus);
  fill_cpus(plan.consumer_cpus, settings.consumer_cpus);
  fill_cpus(plan.victim_cpus, settings.victim_cpus);
  plan.sink.set(roles.sink.text);
  plan.directory.set((roles.directory / "sink").string());
  return plan;
}

std::vector<Setting> settings_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : pairs) settings.push_back({name, value});
  return settings;
}

}  // namespace

TrialProcesses::TrialProcesses(const ProcessesPlan& plan, Report report)
    : settings_(plan.settings),
      directory_(plan.directory),
      program_(plan.program),
      report_(std::move(report)),
      consumer_mode_(tailgate::consumer_mode(plan.sink, plan.settings.consumer)),
      memory_(TrialMemory::create(make_plan(plan))),
      header_(memory_.header()),
      clock_(plan.settings.clock),
      sink_(trial_sink(memory_.plan(), plan.sink)) {
  std::filesystem::create_directories(sink_.context.directory);
}

void TrialProcesses::end_as(TrialOutcome outcome, const std::string& detail) {
  if (!went_well()) return;
  outcome_ = outcome;
  outcome_detail_ = detail;
}

bool TrialProcesses::went_well() const {
  return outcome_ == TrialOutcome::completed;
}

void TrialProcesses::add_remark(const std::string& what, const std::string& remedy) {
  remarks_.push_back({what, remedy});
}

steady_clock::time_point TrialProcesses::patience() const {
  return steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                   std::chrono::duration<double>(settings_.hang_timeout_s));
}

// The last line of a process's output, such as the message of a crash or an abort.
std::string TrialProcesses::last_line(const char* log_name) const {
  std::ifstream input(directory_ / log_name);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line.substr(0, 300);
  }
  return last;
}

Child TrialProcesses::start_child(const char* command, const char* log_name) {
  return Child::start({.program = program_,
                       .arguments = {command, memory_.memory().handle()},
                       .environment = session_->environment(),
                       .inherited = {memory_.memory().native()},
                       .output = directory_ / log_name,
                       .namespace_pid = session_->namespace_pid()});
}

// Daemons may run on all processors, as they would without tailgate, and not only on the
// controller's, unless the settings choose processors.
void TrialProcesses::start_session() {
  session_ = sink_.type->make_session(sink_.context);
  const ScopedAffinity restore;
  bind_this_thread(sink_cpus(settings_));
  session_->start();
  session_started_ = true;
  granted_ = settings_of(session_->granted());
}

bool TrialProcesses::start_provider() {
  provider_ = start_child(kProviderCommand, "provider.log");
  return wait_for_provider(Phase::ready, "opening the sink");
}

bool TrialProcesses::start_live_consumer() {
  if (consumer_mode_ != ConsumerMode::live) return true;
  start_consumer();
  return wait_for_consumer_ready();
}

bool TrialProcesses::start_victim() {
  victim_ = start_child(kVictimCommand, "victim.log");
  const auto deadline = patience();
  while (header_.victim_rounds.load(std::memory_order_relaxed) == 0) {
    if (victim_->poll() || steady_clock::now() > deadline) {
      end_as(TrialOutcome::failed, "the victim did not start: " + last_line("victim.log"));
      return false;
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

std::vector<WatchedProcess> TrialProcesses::processes() const {
  std::vector<WatchedProcess> processes;
  if (provider_) processes.push_back({Role::provider, "provider", provider_->pid()});
  if (consumer_) processes.push_back({Role::consumer, "consumer", consumer_->pid()});
  if (session_) {
    for (const DaemonProcess& daemon : session_->daemons()) {
      processes.push_back({Role::daemons, daemon.name, daemon.pid});
    }
  }
  return processes;
}

bool TrialProcesses::wait_for_provider(Phase wanted, const char* doing) {
  const double limit_s = settings_.hang_timeout_s + settings_.noise_s;
  const auto deadline = steady_clock::now() + std::chrono::duration<double>(limit_s);
  while (true) {
    const Phase phase = header_.provider.phase.load(std::memory_order_acquire);
    if (phase == Phase::failed) {
      end_as(TrialOutcome::failed, header_.provider.error.get());
      return false;
    }
    if (phase >= wanted) return true;
    if (provider_ended()) return false;
    if (InterruptFlag::raised()) {
      end_as(TrialOutcome::interrupted, std::string("while ") + doing);
      return false;
    }
    if (steady_clock::now() > deadline) {
      end_as(TrialOutcome::hung, fmt::format("{} took longer than {:.3g} s", doing, limit_s));
      return false;
    }
    report_(doing);
    std::this_thread::sleep_for(kPollInterval);
  }
}

bool TrialProcesses::provider_ended() {
  const std::optional<ChildEnd> end = provider_->poll();
  if (!end) return false;
  const Phase phase = header_.provider.phase.load(std::memory_order_acquire);
  if (phase == Phase::done) return true;
  if (phase == Phase::failed) {
    end_as(TrialOutcome::failed, header_.provider.error.get());
    return true;
  }
  provider_end_ = end->text();
  const std::string said = last_line("provider.log");
  const std::string detail =
      "the provider ended by " + provider_end_ + (said.empty() ? "" : "; it said: " + said);
  end_as(end->killed() ? TrialOutcome::killed : TrialOutcome::crashed, detail);
  return true;
}

bool TrialProcesses::load_hangs() {
  const std::uint64_t now_ns = clock_.now_ns();
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    const ThreadBlock& thread = memory_.thread(i);
    const std::uint64_t finished = thread.finished.load(std::memory_order_acquire);
    const std::uint64_t started = thread.started.load(std::memory_order_acquire);
    const std::uint64_t since_ns = thread.last_start_ns.load();
    if (started == finished || since_ns == 0 || now_ns < since_ns) continue;
    const double age_s = static_cast<double>(now_ns - since_ns) / 1e9;
    if (age_s < settings_.hang_timeout_s) continue;
    end_as(TrialOutcome::hung,
           fmt::format("event {} of thread {}: the call had not returned after {:.3g} s", finished,
                       i, age_s));
    return true;
  }
  return false;
}

void TrialProcesses::interrupt() {
  end_as(TrialOutcome::interrupted, "by the user, during the load");
  header_.stop.store(1, std::memory_order_release);
  const auto deadline = steady_clock::now() + std::chrono::seconds(2);
  while (header_.provider.phase.load() < Phase::done && !provider_->poll() &&
         steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPollInterval);
  }
}

void TrialProcesses::end_provider() {
  if (!provider_) return;
  if (victim_) victim_->kill();
  header_.sampled.store(1, std::memory_order_release);
  const bool done = header_.provider.phase.load(std::memory_order_acquire) == Phase::done;
  const std::optional<ChildEnd> end = provider_->wait_for(milliseconds(done ? 2000 : 0));
  if (end) return;
  provider_end_ = provider_->kill().text();
  if (done) add_remark("the provider process did not exit after it had finished", "");
}

void TrialProcesses::stop_session() {
  if (!session_started_) return;
  report_("stopping the session");
  try {
    session_->stop();
  } catch (const Error& error) {
    add_remark(error.what_failed(), error.remedy());
  }
}

void TrialProcesses::start_consumer() {
  try {
    consumer_ = start_child(kConsumerCommand, "consumer.log");
  } catch (const Error& error) {
    add_remark(error.what_failed(), error.remedy());
  }
}

bool TrialProcesses::wait_for_consumer_ready() {
  const auto deadline = patience();
  while (consumer_ && header_.consumer.phase.load(std::memory_order_acquire) < Phase::ready) {
    if (consumer_->poll() || steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(kPollInterval);
  }
  if (header_.consumer.phase.load() == Phase::ready) return true;
  end_as(TrialOutcome::failed, "the consumer did not start: " + header_.consumer.error.get());
  return false;
}

void TrialProcesses::wait_for_consumer_end() {
  constexpr std::chrono::seconds kPatienceOfUser{3};
  std::uint64_t seen = header_.consumer.events.load();
  auto deadline = patience();
  bool interrupted = false;
  while (!consumer_->poll() && steady_clock::now() <= deadline) {
    report_("reading back");
    if (InterruptFlag::raised() && !interrupted) {
      interrupted = true;
      deadline = std::min(deadline, steady_clock::now() + kPatienceOfUser);
    }
    const std::uint64_t events = header_.consumer.events.load();
    if (events != seen && !interrupted) deadline = patience();
    seen = events;
    std::this_thread::sleep_for(kPollInterval);
  }
}

std::string TrialProcesses::why_not_read_back(const ChildEnd& end) const {
  if (header_.consumer.phase.load() == Phase::failed) return header_.consumer.error.get();
  const std::uint64_t events = header_.consumer.events.load();
  if (InterruptFlag::raised()) return fmt::format("interrupted after {} events", events);
  return fmt::format("the consumer ended by {} after {} events", end.text(), events);
}

void TrialProcesses::read_back() {
  if (consumer_mode_ == ConsumerMode::none || header_.go_ns.load() == 0) return;
  header_.session_over.store(1, std::memory_order_release);
  if (!consumer_) start_consumer();
  if (consumer_) {
    wait_for_consumer_end();
    const ChildEnd end = consumer_->kill();
    read_back_ = header_.consumer.phase.load(std::memory_order_acquire) == Phase::done;
    if (read_back_) return;
    unchecked_cause_ = why_not_read_back(end);
  } else {
    unchecked_cause_ = "the consumer could not be started";
  }
  end_as(InterruptFlag::raised() ? TrialOutcome::interrupted : TrialOutcome::unchecked,
         "the events could not be read back: " + unchecked_cause_);
  add_remark(
      "the events could not be read back: " + unchecked_cause_,
      "the ledger of this trial is unchecked: nobody knows what became of its events; run it "
      "again");
}

void TrialProcesses::remove_files() {
  if (settings_.keep_files) return;
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

LedgerAccount TrialProcesses::ledger() const {
  return balance_ledger(memory_,
                        {.read_back = read_back_,
                         .unchecked_cause = unchecked_cause_,
                         .accounts_losses = sink_.capabilities.accounts_losses,
                         .session_losses = session_ ? session_->losses() : std::vector<Loss>{},
                         .provider_end = provider_end_});
}

std::vector<std::uint64_t> TrialProcesses::daemons_cpu_in_stop_ns() const {
  return session_ ? session_->daemons_cpu_in_stop_ns() : std::vector<std::uint64_t>{};
}

}  // namespace tailgate
