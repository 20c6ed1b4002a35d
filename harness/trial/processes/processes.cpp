#include "harness/trial/processes/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

#include "harness/os/affinity.h"
#include "harness/os/process_signal.h"
#include "harness/os/remove_folder.h"
#include "harness/os/shared_wait.h"
#include "harness/result/latency.h"
#include "harness/trial/action_times.h"
#include "harness/trial/ledger.h"
#include "harness/trial/processes/role.h"
#include "harness/trial/survival.h"

namespace tailgate {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The time within which the load's next call is due. Of random intervals, one in e^50 is longer.
double longest_gap_s(const LoadPlan& load) {
  switch (load.shape) {
    case Shape::max:  // its pauses, if it has any
    case Shape::burst:
      return load.burst_gap_s;
    case Shape::ramp:
      return 1 / std::min(load.rate_hz, load.end_rate_hz);
    case Shape::steady:
      return 1 / load.rate_hz;
    case Shape::poisson:
      return 50 / load.rate_hz;
  }
  throw std::logic_error("unknown shape");
}

std::vector<Setting> settings_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Setting> settings;
  for (const auto& [name, value] : pairs) settings.push_back({name, value});
  return settings;
}

std::string provider_log(unsigned process) {
  return process == 0 ? "provider.log" : fmt::format("provider-{}.log", process);
}

}  // namespace

TrialProcesses::TrialProcesses(const ProcessesPlan& plan, Report report)
    : settings_(plan.settings),
      directory_(plan.directory),
      program_(plan.program),
      environment_(plan.environment),
      report_(std::move(report)),
      consumer_mode_(tailgate::consumer_mode(plan.sink, plan.settings.consumer)),
      memory_(TrialMemory::create(make_plan(plan))),
      header_(memory_.header()),
      clock_(plan.settings.clock),
      sink_(trial_sink(memory_.plan(), plan.sink)),
      further_(memory_) {
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

milliseconds TrialProcesses::hang_timeout() const {
  return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(settings_.hang_timeout_s));
}

steady_clock::time_point TrialProcesses::patience() const {
  return steady_clock::now() + hang_timeout();
}

// The last line of a process's output, such as the message of a crash or an abort.
std::string TrialProcesses::last_line(const std::string& log_name) const {
  std::ifstream input(directory_ / log_name);
  std::string last;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) last = line.substr(0, 300);
  }
  return last;
}

Child TrialProcesses::start_child(const char* command, const std::string& log_name,
                                  unsigned process) {
  std::vector<std::string> arguments = {command, memory_.memory().handle()};
  if (process > 0) arguments.push_back(fmt::format("{}", process));
  std::vector<std::pair<std::string, std::string>> environment = session_->environment();
  environment.insert(environment.end(), environment_.begin(), environment_.end());
  return Child::start({.program = program_,
                       .arguments = std::move(arguments),
                       .environment = environment,
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
  const std::uint64_t began_ns = clock_.now_ns();
  session_->start();
  session_start_ns_ = clock_.now_ns() - began_ns;
  session_started_ = true;
  granted_ = settings_of(session_->granted());
}

// The first process alone observes the machine and measures the floor, before the others start.
bool TrialProcesses::start_provider() {
  start_next_provider();
  if (!wait_for_provider(Phase::ready, "opening the sink")) return false;
  const LoadPlan& load = memory_.plan().load;
  while (providers_.size() < load.processes - load.late_processes) start_next_provider();
  return wait_for_provider(Phase::ready, "opening the sink");
}

int TrialProcesses::start_next_provider() {
  const auto process = static_cast<unsigned>(providers_.size());
  providers_.push_back(start_child(kProviderCommand, provider_log(process), process));
  session_->provider_started(process, providers_.back().pid());
  return providers_.back().pid();
}

std::vector<int> TrialProcesses::provider_pids() const {
  std::vector<int> pids;
  for (const Child& provider : providers_) pids.push_back(provider.pid());
  return pids;
}

Phase TrialProcesses::provider_phase() const {
  Phase least = Phase::done;
  for (unsigned i = 0; i < providers_.size(); ++i) {
    const Phase phase = provider_block(header_, i).phase.load(std::memory_order_acquire);
    if (phase == Phase::failed) return phase;
    least = std::min(least, phase);
  }
  return least;
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
  for (const int pid : provider_pids()) processes.push_back({Role::provider, "provider", pid});
  if (consumer_) processes.push_back({Role::consumer, "consumer", consumer_->pid()});
  if (session_) {
    for (const DaemonProcess& daemon : session_->daemons()) {
      processes.push_back({Role::daemons, daemon.name, daemon.pid, true});
    }
  }
  return processes;
}

bool TrialProcesses::wait_for_provider(Phase wanted, const char* doing) {
  const double limit_s = settings_.hang_timeout_s + settings_.noise_s;
  const auto deadline = steady_clock::now() + std::chrono::duration<double>(limit_s);
  while (true) {
    const Phase phase = provider_phase();
    if (phase == Phase::failed) {
      end_as(TrialOutcome::failed, provider_error());
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

// What went wrong in the provider process that has failed.
std::string TrialProcesses::provider_error() const {
  for (unsigned i = 0; i < providers_.size(); ++i) {
    const ProviderBlock& block = provider_block(header_, i);
    if (block.phase.load(std::memory_order_acquire) == Phase::failed) return block.error.get();
  }
  return "";
}

bool TrialProcesses::provider_ended() {
  bool all = true;
  for (unsigned i = 0; i < providers_.size(); ++i) {
    const std::optional<ChildEnd> end = providers_[i].poll();
    if (!end) {
      all = false;
    } else if (ended_too_early(i, *end)) {
      return true;
    }
  }
  return all;
}

bool TrialProcesses::ended_too_early(unsigned process, const ChildEnd& end) {
  const Phase phase = provider_block(header_, process).phase.load(std::memory_order_acquire);
  if (phase == Phase::done) return false;
  if (phase == Phase::failed) {
    end_as(TrialOutcome::failed, provider_error());
    return true;
  }
  provider_end_ = end.text();
  if (provider_kill_planned_ && end.killed()) return false;
  const std::string said = last_line(provider_log(process));
  const std::string which = providers_.size() == 1
                                ? "the provider"
                                : fmt::format("provider {} of {}", process + 1, providers_.size());
  const std::string detail =
      which + " ended by " + provider_end_ + (said.empty() ? "" : "; it said: " + said);
  end_as(end.killed() ? TrialOutcome::killed : TrialOutcome::crashed, detail);
  return true;
}

bool TrialProcesses::load_hangs(std::uint64_t running_since_ns) {
  const std::uint64_t now_ns = clock_.now_ns();
  return call_hangs(now_ns) || load_stands_still(now_ns, running_since_ns);
}

bool TrialProcesses::call_hangs(std::uint64_t now_ns) {
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

// A provider that is stopped between two calls (SIGSTOP, a debugger) begins no other.
bool TrialProcesses::load_stands_still(std::uint64_t now_ns, std::uint64_t running_since_ns) {
  const LoadPlan& load = memory_.plan().load;
  std::uint64_t last_ns = running_since_ns;
  for (unsigned i = 0; i < load.threads; ++i) {
    last_ns = std::max(last_ns, memory_.thread(i).last_start_ns.load());
  }
  if (now_ns < last_ns) return false;
  const double idle_s = static_cast<double>(now_ns - last_ns) / 1e9;
  if (idle_s < longest_gap_s(load) + settings_.hang_timeout_s) return false;
  end_as(TrialOutcome::hung, fmt::format("no call has begun for {:.3g} s, though the load has not "
                                         "ended; the provider may be stopped",
                                         idle_s));
  return true;
}

void TrialProcesses::end_load() {
  header_.stop.store(1, std::memory_order_release);
  for (unsigned i = 0; i < memory_.plan().load.processes; ++i) {
    provider_block(header_, i).stop.store(1, std::memory_order_release);
  }
  wake_all(header_.turn.granted);
}

void TrialProcesses::interrupt() {
  end_as(TrialOutcome::interrupted, "by the user, during the load");
  end_load();
  const auto deadline = steady_clock::now() + std::chrono::seconds(2);
  while (provider_phase() < Phase::done && !provider_ended() && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPollInterval);
  }
}

void TrialProcesses::expect_kill(bool program) {
  kill_planned_ = true;
  provider_kill_planned_ = provider_kill_planned_ || program;
  if (!program) mark_threads(memory_);
}

void TrialProcesses::signal(int pid, ActionKind what) {
  switch (what) {
    case ActionKind::kill:
      return send_signal(pid, ProcessSignal::kill);
    case ActionKind::stop:
      return send_signal(pid, ProcessSignal::stop);
    case ActionKind::resume:
      return send_signal(pid, ProcessSignal::resume);
    default:
      break;
  }
  throw std::logic_error("such an action sends no signal");
}

std::vector<DaemonProcess> TrialProcesses::daemons() const {
  return session_ ? session_->daemons() : std::vector<DaemonProcess>{};
}

std::optional<Survival> TrialProcesses::survival() const {
  if (!kill_planned_ || !ledger_.checked) return std::nullopt;
  return survival_of(memory_);
}

std::optional<SwitchedEvents> TrialProcesses::switched_events() const {
  if (header_.switches.load() == 0 || !ledger_.checked) return std::nullopt;
  return header_.consumer.switches.events;
}

std::optional<SwitchCommands> TrialProcesses::commands() const {
  const std::optional<CommandsTold> told =
      session_ ? session_->commands() : std::optional<CommandsTold>{};
  if (!told) return std::nullopt;
  return SwitchCommands{.sent = told->sent,
                        .arrived = told->arrived,
                        .with_arguments = told->with_arguments,
                        .filters_sent = told->filters_sent,
                        .filters_arrived = told->filters_arrived,
                        .captures_sent = told->captures_sent,
                        .captures_arrived = told->captures_arrived};
}

void TrialProcesses::end_provider() {
  if (victim_ && provider_started()) victim_->kill();
  header_.sampled.store(1, std::memory_order_release);
  for (unsigned i = 0; i < providers_.size(); ++i) {
    const Phase phase = provider_block(header_, i).phase.load(std::memory_order_acquire);
    const bool done = phase == Phase::done;
    if (providers_[i].wait_for(milliseconds(done ? 2000 : 0))) continue;
    const std::string end = providers_[i].kill().text();
    if (provider_end_.empty()) provider_end_ = end;
    if (done) add_remark("the provider process did not exit after it had finished", "");
  }
}

void TrialProcesses::stop_session() {
  if (!session_started_) return;
  report_("stopping the session");
  try {
    const std::uint64_t began_ns = clock_.now_ns();
    session_->stop();
    session_stop_ns_ = clock_.now_ns() - began_ns;
    further_.session_ended(clock_.now_ns());
  } catch (const Error& error) {
    session_failure_ = error.what_failed();
    add_remark(error.what_failed(), error.remedy());
  }
}

std::optional<std::uint64_t> TrialProcesses::start_ns() const {
  const std::uint64_t open_ns = header_.provider.open_ns.load();
  if (open_ns == 0) return {};
  return session_start_ns_ + open_ns;
}

std::optional<std::uint64_t> TrialProcesses::stop_ns() const {
  const std::uint64_t close_ns = header_.provider.close_ns.load();
  if (close_ns == 0 || !session_stop_ns_) return {};
  return *session_stop_ns_ + close_ns;
}

std::vector<std::string> TrialProcesses::copy_names() const {
  const std::vector<std::string> names = sink_.type->copies(sink_.context.options);
  return names.empty() ? std::vector{memory_.plan().sink.get()} : names;
}

void TrialProcesses::start_consumer() {
  try {
    consumer_ = start_child(kConsumerCommand, "consumer.log");
  } catch (const Error& error) {
    consumer_failure_ = error.what_failed();
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
  end_as(TrialOutcome::failed, "the consumer did not start: " + why_consumer_not_ready());
  return false;
}

std::string TrialProcesses::why_consumer_not_ready() {
  if (!consumer_) return consumer_failure_;
  if (header_.consumer.phase.load() == Phase::failed) return header_.consumer.error.get();
  const std::optional<ChildEnd> end = consumer_->poll();
  if (end) return "it ended by " + end->text();
  return fmt::format("it was not ready after {:.3g} s", settings_.hang_timeout_s);
}

bool TrialProcesses::wait_for_consumer_end() {
  std::uint64_t seen = header_.consumer.events.load();
  PatientDeadline deadline(hang_timeout());
  while (!consumer_->poll()) {
    if (deadline.passed()) return false;
    report_("reading back");
    const std::uint64_t events = header_.consumer.events.load();
    if (events != seen) deadline.extend();
    seen = events;
    std::this_thread::sleep_for(kPollInterval);
  }
  return true;
}

std::string TrialProcesses::why_not_read_back(const ChildEnd& end, bool ended_itself) const {
  if (header_.consumer.phase.load() == Phase::failed) return header_.consumer.error.get();
  const std::uint64_t events = header_.consumer.events.load();
  if (InterruptFlag::raised()) return fmt::format("interrupted after {} events", events);
  if (ended_itself) {
    return fmt::format("the consumer ended by {} after {} events", end.text(), events);
  }
  return fmt::format("the consumer read nothing for {:.3g} s after {} events, and was ended",
                     settings_.hang_timeout_s, events);
}

// Returns why the consumer could not read everything; else an empty text.
std::string TrialProcesses::read_events() {
  header_.session_over.store(1, std::memory_order_release);
  if (!consumer_) start_consumer();
  if (!consumer_) return "the consumer could not be started: " + consumer_failure_;
  const bool ended_itself = wait_for_consumer_end();
  const ChildEnd end = consumer_->kill();
  const bool done = header_.consumer.phase.load(std::memory_order_acquire) == Phase::done;
  return done ? "" : why_not_read_back(end, ended_itself);
}

LedgerAccount TrialProcesses::unread_ledger(const std::string& why) const {
  return balance_ledger(memory_, {.unchecked_cause = why});
}

int TrialProcesses::start_further(ActionTarget who) {
  if (who == ActionTarget::program) {
    if (providers_.size() == memory_.plan().load.processes) {
      throw Error("the sink takes no events from a further process while the load runs", "");
    }
    const int pid = start_next_provider();
    further_.program_started(static_cast<unsigned>(providers_.size() - 1), clock_.now_ns());
    return pid;
  }
  if (who == ActionTarget::rival) {
    session_->start_rival();
    further_.rival_started(clock_.now_ns());
    return 0;
  }
  if (!sink_.capabilities.live_read) throw Error("no consumer reads while the load runs", "");
  if (!sink_.capabilities.multi_consumer) {
    throw Error("only one consumer can read the sink while the load runs", "");
  }
  return start_further_consumer(further_.consumer_started(clock_.now_ns()));
}

int TrialProcesses::start_further_consumer(unsigned number) {
  further_consumers_.push_back(
      start_child(kConsumerCommand, fmt::format("consumer-{}.log", number), number));
  return further_consumers_.back().pid();
}

void TrialProcesses::end_further(ActionTarget who) {
  if (!further_.runs(who)) throw Error("none was started that still runs", "");
  const std::uint64_t now_ns = clock_.now_ns();
  if (who == ActionTarget::rival) further_.before_rival_ends();
  if (who == ActionTarget::rival) session_->end_rival();
  further_.end(who, now_ns);
}

// Those that still run, and those that read what a rival's session has.
void TrialProcesses::read_further() {
  if (const auto number = further_.reader_of_rival()) {
    try {
      start_further_consumer(*number);
    } catch (const Error& error) {
      add_remark(error.what_failed(), error.remedy());
    }
  }
  for (Child& consumer : further_consumers_) {
    PatientDeadline deadline(hang_timeout());
    while (!consumer.poll() && !deadline.passed()) std::this_thread::sleep_for(kPollInterval);
    consumer.kill();
  }
}

void TrialProcesses::read_back() {
  if (further_.any() && header_.go_ns.load() != 0) {
    header_.session_over.store(1, std::memory_order_release);
    read_further();
  }
  const bool wanted = consumer_mode_ != ConsumerMode::none && header_.go_ns.load() != 0;
  const std::string why_not = wanted ? read_events() : "";
  ledger_ = balance_ledger(memory_,
                           {.read_back = wanted && why_not.empty(),
                            .unchecked_cause = why_not,
                            .interrupted = InterruptFlag::raised(),
                            .accounts_losses = sink_.capabilities.accounts_losses,
                            .switched_off = sink_.capabilities.switched_off,
                            .killed = kill_planned_ ? taken_by_kill(survival_of(memory_)) : 0,
                            .switched = header_.switches.load() == 0 ? std::optional<SwitchRead>{}
                                                                     : header_.consumer.switches,
                            .session_losses = session_ ? session_->losses() : std::vector<Loss>{},
                            .session_failure = session_failure_,
                            .provider_end = provider_end_});
  if (!ledger_.unchecked()) return;
  const std::string what = "the events could not be accounted for: " + *ledger_.unchecked_cause;
  end_as(InterruptFlag::raised() ? TrialOutcome::interrupted : TrialOutcome::unchecked, what);
  add_remark(
      what,
      "the ledger of this trial is unchecked: nobody knows what became of its events; run it "
      "again");
}

void TrialProcesses::remove_files() {
  if (!settings_.keep_files) remove_folder(directory_);
}

std::vector<std::uint64_t> TrialProcesses::daemons_cpu_in_stop_ns() const {
  return session_ ? session_->daemons_cpu_in_stop_ns() : std::vector<std::uint64_t>{};
}

}  // namespace tailgate
