#include "harness/run/duet/duet_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "harness/os/affinity.h"
#include "harness/os/remove_folder.h"
#include "harness/os/shared_wait.h"
#include "harness/overhead/sampler.h"
#include "harness/result/latency.h"
#include "harness/run/duet/counted_calls.h"
#include "harness/run/duet/drain.h"
#include "harness/run/duet/side_figures.h"
#include "harness/trial/collector.h"
#include "harness/trial/noise.h"
#include "harness/trial/processes/processes.h"
#include "harness/trial/result_facts.h"

namespace tailgate {
namespace {

constexpr std::chrono::milliseconds kTurnPollInterval{20};

// The state of one side during the round.
class Side {
 public:
  Side(char letter, const DuetSideRequest& request, const RoundPlan& plan,
       const TrialProcesses::Report& report)
      : letter_(letter),
        plan_(plan),
        directory_(plan.directory / std::string(1, letter)),
        load_(load_in_turns(request.load, plan.turns)),
        roles_(
            {.sink = request.sink,
             .load = load_,
             .settings = plan.settings,
             .directory = directory_,
             .turns = plan.turns,
             .program = request.program,
             .environment = {environment_of_round(letter == 'A' ? plan.order.environment_bytes_a
                                                                : plan.order.environment_bytes_b)}},
            report),
        turn_(roles_.memory().header().turn),
        calls_(roles_.memory()) {}

  TrialProcesses& roles() { return roles_; }
  bool went_well() const { return roles_.went_well(); }
  bool classified() const { return turn_.classified.load() != 0; }

  bool start() {
    try {
      roles_.start_session();
      if (!roles_.start_provider() || !roles_.start_live_consumer()) return false;
    } catch (const Error& error) {
      roles_.end_as(TrialOutcome::failed, error.what());
      return false;
    }
    sampler_ = make_sampler(directory_);
    for (const WatchedProcess& process : roles_.processes()) {
      if (process.role == Role::consumer) continue;
      has_daemons_ = has_daemons_ || process.role == Role::daemons;
      sampler_->watch(process);
      pids_.push_back(process.pid);
    }
    return true;
  }

  void go(std::uint64_t now_ns) {
    roles_.memory().header().go_ns.store(now_ns, std::memory_order_release);
  }

  // Runs the next turn to its end and drains it. Returns false if this side cannot continue.
  bool take_turn() {
    const bool recorded = turns_taken_++ >= plan_.turns.warmup;
    if (!carry_out(Grant::turn)) return false;
    if (plan_.drained) drain_turn(recorded);
    return true;
  }

  // Makes one call. Returns false if this side cannot continue. Programs in other languages know
  // turns only.
  bool probe() { return !roles_.capabilities().driver_language.empty() || carry_out(Grant::probe); }

  void begin_counting_calls() { calls_.begin(pids_); }
  void end_counting_calls() { calls_.end(); }
  const std::string& why_calls_not_counted() const { return calls_.why_not(); }

  // What the hypervisor took from the machine while this side counted.
  Counters::Count stolen_ns() const { return counters_of(uses_, Role::machine).stolen_ns; }

  // What happens between two visits, such as work that a daemon does by the clock, is not counted.
  void begin_counting() { before_ = count(); }
  void end_counting() {
    const Count after = count();
    const std::vector<RoleUse> uses = uses_between(before_.sample, after.sample);
    uses_ = uses_.empty() ? uses : uses_together(uses_, uses);
    side_.spun_ns += after.spun_ns - before_.spun_ns;
    side_.cpu_events += after.calls - before_.calls;
  }

  // Ends the side's processes and reads the events back. Call it after the last turn of both sides,
  // or when the round is aborted.
  void end(bool whole) {
    stop(whole);
    roles_.read_back();
    side_.ledger = roles_.ledger();
    side_.start_ns = roles_.start_ns();
    side_.stop_ns = roles_.stop_ns();
  }

  // Ends the side's processes. whole: the sink is to be closed first.
  void stop(bool whole) {
    if (roles_.provider_started()) {
      if (whole && went_well()) {
        grant(Grant::end);
        roles_.wait_for_provider(Phase::done, "closing the sink");
      }
      roles_.end_provider();
    }
    roles_.stop_session();
  }

  RoundProcesses processes() {
    RoundProcesses found{.threads = {}, .processes = roles_.processes()};
    for (unsigned i = 0; i < load_.threads; ++i) {
      found.threads.push_back(roles_.memory().thread(i).os_thread.load(std::memory_order_acquire));
    }
    return found;
  }

  Counters::Count provider_rss_bytes() {
    return sampler_->sample()[Role::provider].counters.rss_bytes;
  }

  // The logs of calls. A faulty plugin or program may have written anything into them: that is the
  // side's outcome, and the log is empty.
  ThreadCalls logged_calls() {
    ThreadCalls calls;
    for (unsigned i = 0; i < load_.threads; ++i) calls.push_back(logged_calls(i));
    return calls;
  }

  // visit_starts: positions in the order of turns.
  DuetSide collect(const std::vector<std::size_t>& visit_starts) {
    const ThreadCalls calls = logged_calls();
    side_.outcome = roles_.outcome();
    side_.outcome_detail = roles_.outcome_detail();
    add_figures(calls,
                {.range = plan_.settings.range,
                 .turn_ns = plan_.turns.length_ns,
                 .dropped_per_turn = kDroppedPerTurn,
                 .closed_loop = load_.shape == Shape::max,
                 .turn_order = plan_.order.turns,
                 .visit_starts = visit_starts,
                 .side = letter_},
                side_);
    side_.rate_missed = side_.rate_missed || over_threads([](const ThreadBlock& thread) {
                                               return thread.unissued.load();
                                             }) > 0;
    side_.probes = turn_.probes.load();
    side_.over_1ms += turn_.probe_stalls.load();
    *side_.stalled_ns += turn_.probe_stalled_ns.load();
    add_counts();
    calls_.report(side_);
    roles_.remove_files();
    return std::move(side_);
  }

 private:
  std::span<const CallRecord> logged_calls(unsigned number) {
    const std::uint64_t logged = roles_.memory().log(number).logged.load(std::memory_order_acquire);
    const std::uint64_t finished = roles_.memory().thread(number).finished.load();
    const std::uint64_t most = std::min(plan_.turns.max_calls, finished);
    const std::span<const CallRecord> calls(roles_.memory().calls(number), std::min(logged, most));
    const bool ordered = std::all_of(calls.begin(), calls.end(), [](const CallRecord& call) {
      return call.intended_ns <= call.start_ns && call.start_ns <= call.end_ns;
    });
    if (logged <= most && ordered) return calls;
    roles_.end_as(TrialOutcome::failed,
                  fmt::format("the log of {} calls is damaged: it holds more than were made, or a "
                              "call that ends before it begins",
                              logged));
    return {};
  }

  // The sum of a figure over the load threads.
  template <class Figure>
  std::uint64_t over_threads(Figure figure) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < load_.threads; ++i) sum += figure(roles_.memory().thread(i));
    return sum;
  }

  // The counts of a side's processes at one moment.
  struct Count {
    Sample sample;
    std::uint64_t spun_ns = 0;
    std::uint64_t calls = 0;
  };

  void grant(Grant grant) {
    turn_.grant.store(grant, std::memory_order_relaxed);
    turn_.granted.store(++grants_, std::memory_order_release);
    wake_all(turn_.granted);
  }

  // Grants and waits until it is done. Returns false if this side cannot continue.
  bool carry_out(Grant what) {
    const std::uint32_t done = grants_;
    const std::uint64_t granted_ns = Clock(plan_.settings.clock).now_ns();
    grant(what);
    while (turn_.done.load(std::memory_order_acquire) == done) {
      wait_while(turn_.done, done, kTurnPollInterval);
      if (turn_.done.load(std::memory_order_acquire) != done) break;
      if (roles_.provider_ended()) return ended();
      if (roles_.load_hangs(granted_ns)) return false;
      if (InterruptFlag::raised()) {
        roles_.interrupt();
        return false;
      }
    }
    return true;
  }

  bool ended() {
    roles_.end_as(TrialOutcome::failed, "the provider ended before its last turn");
    return false;
  }

  void drain_turn(bool recorded) {
    const DrainOutcome outcome = drain(pids_, [this] { return delivered(); });
    if (!recorded) return;
    ++side_.drains;
    side_.drain_ns += outcome.waited_ns;
    side_.drains_cut_short += outcome.cut_short ? 1 : 0;
  }

  // Whether a live consumer has seen all events that the sink accepted.
  bool delivered() {
    if (roles_.consumer_mode() != ConsumerMode::live) return false;
    const std::uint64_t refused = over_threads([](const ThreadBlock& thread) {
      std::uint64_t sum = 0;
      for (const auto& cause : thread.refused) sum += cause.load();
      return sum;
    });
    return roles_.consumed() + refused >= finished();
  }

  std::uint64_t finished() {
    return over_threads(
        [](const ThreadBlock& thread) { return thread.finished.load(std::memory_order_acquire); });
  }

  Count count() {
    return {sampler_->sample(),
            over_threads([](const ThreadBlock& thread) { return thread.spun_ns.load(); }),
            finished()};
  }

  void add_counts() {
    if (uses_.empty()) return;
    const Counters& provider = counters_of(uses_, Role::provider);
    side_.cpu_ns = provider.cpu_ns;
    side_.rss_bytes = provider.rss_bytes;
    side_.written_bytes = provider.written_bytes;
    if (!has_daemons_) return;
    const Counters& daemons = counters_of(uses_, Role::daemons);
    side_.daemon_cpu_ns = daemons.cpu_ns;
    if (side_.daemon_cpu_ns) {
      const std::vector<std::uint64_t> stopping_ns = roles_.daemons_cpu_in_stop_ns();
      *side_.daemon_cpu_ns +=
          std::accumulate(stopping_ns.begin(), stopping_ns.end(), std::uint64_t{0});
    }
    side_.cpu_ns = total(side_.cpu_ns, side_.daemon_cpu_ns);
    side_.rss_bytes = total(side_.rss_bytes, daemons.rss_bytes);
    side_.written_bytes = total(side_.written_bytes, daemons.written_bytes);
  }

  static Counters::Count total(const Counters::Count& one, const Counters::Count& other) {
    return one && other ? Counters::Count(*one + *other) : std::nullopt;
  }

  char letter_;
  const RoundPlan& plan_;
  std::filesystem::path directory_;
  LoadPlan load_;
  TrialProcesses roles_;
  TurnBlock& turn_;
  CountedCalls calls_;
  std::unique_ptr<Sampler> sampler_;
  std::vector<int> pids_;  // a drain waits until these processes are idle
  bool has_daemons_ = false;
  std::uint32_t grants_ = 0;
  std::uint32_t turns_taken_ = 0;
  Count before_;
  std::vector<RoleUse> uses_;  // of all visits so far
  DuetSide side_;
};

// Before a round's processes start, so that it shows the machine and not the sinks.
std::optional<Noise> noise_of_load_cpu(const TrialSettings& settings) {
  if (settings.load_cpus.empty()) return {};
  constexpr std::uint64_t kObservedNs = 5'000'000;
  const ScopedAffinity restored;
  try {
    bind_this_thread(settings.load_cpus);
  } catch (const Error&) {
    return {};  // the load will say so
  }
  return noise_of(observe_noise(Clock(settings.clock), kObservedNs));
}

}  // namespace

class Round::Sides {
 public:
  Sides(RoundPlan plan, RoundCallback progress)
      : plan_(std::move(plan)),
        progress_(std::move(progress)),
        made_first_(made(plan_.order.a_made_first ? 'A' : 'B')),
        made_second_(made(plan_.order.a_made_first ? 'B' : 'A')),
        a_(plan_.order.a_made_first ? *made_first_ : *made_second_),
        b_(plan_.order.a_made_first ? *made_second_ : *made_first_),
        started_({plan_.order.a_first ? &a_ : &b_, plan_.order.a_first ? &b_ : &a_}) {}

  void begin() {
    began_ = Instant::clock::now();
    const TimeSpent spent(round_.duration_ns);
    round_.a_started_first = plan_.order.a_first;
    round_.a_made_first = plan_.order.a_made_first;
    round_.turn_order = plan_.order.turns;
    round_.started_utc = utc_now();
    round_.noise = noise_of_load_cpu(plan_.settings);
    if (!start()) give_up();
  }

  void visit() {
    const Visit visit = plan_visit(plan_.order.turns, visited_++, plan_.visits);
    if (failed_ || visit.turns == 0) return;
    const TimeSpent spent(round_.duration_ns);
    visit_starts_.push_back(visit.first);
    for (Side* side : started_) side->begin_counting();
    report(plan_.visits == 1 ? "turns" : "visit");
    const bool all = take_turns(plan_.order.turns.substr(visit.first, visit.turns));
    for (Side* side : started_) side->end_counting();
    round_.age_ns = ns_since(began_);
    if (!all) give_up();
  }

  void probe() {
    for (Side* side : started_) {
      if (!failed_ && !side->probe()) give_up();
    }
  }

  Side& side(char letter) { return letter == 'A' ? a_ : b_; }
  bool has_failed() const { return failed_; }
  bool has_had_all_turns() const { return visited_ == plan_.visits; }

  RoundOutcome end() {
    const bool whole = !failed_ && has_had_all_turns();
    RoundOutcome outcome;
    {
      const TimeSpent spent(round_.duration_ns);
      for (Side* side : started_) side->end(whole);
      report("collecting");
      round_.a = a_.collect(visit_starts_);
      round_.b = b_.collect(visit_starts_);
      round_.visits = visit_starts_.size();
      round_.stolen_ns = a_.stolen_ns();
      add_remarks(round_);
      outcome.granted_a = a_.roles().granted();
      outcome.granted_b = b_.roles().granted();
      outcome.why_calls_not_counted = started_.front()->why_calls_not_counted();
      outcome.classified = a_.classified() && b_.classified();
      outcome.interrupted = InterruptFlag::raised();
      remove_files();
    }
    outcome.round = std::move(round_);
    return outcome;
  }

  void abandon() {
    for (Side* side : started_) side->stop(false);
    remove_files();
  }

 private:
  using Instant = std::chrono::steady_clock::time_point;

  static std::uint64_t ns_since(Instant instant) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Instant::clock::now() - instant)
            .count());
  }

  // Adds the time of its scope, so that the time of other rounds between visits is left out.
  class TimeSpent {
   public:
    explicit TimeSpent(std::uint64_t& sum_ns) : sum_ns_(sum_ns) {}
    ~TimeSpent() { sum_ns_ += ns_since(began_); }
    TimeSpent(const TimeSpent&) = delete;
    TimeSpent& operator=(const TimeSpent&) = delete;

   private:
    std::uint64_t& sum_ns_;
    Instant began_ = Instant::clock::now();
  };

  std::unique_ptr<Side> made(char letter) {
    return std::make_unique<Side>(letter, letter == 'A' ? plan_.a : plan_.b, plan_,
                                  [this](const char* what) { report(what); });
  }

  // Returns whether both sides run and have had their warm-up turns.
  bool start() {
    for (Side* side : started_) {
      if (!side->start()) return false;
    }
    const Clock clock(plan_.settings.clock);
    for (Side* side : started_) side->go(clock.now_ns());
    report("warm-up");
    return warm_up();
  }

  // Counts system calls from the second pair of turns on: in the first, threads are still starting.
  bool warm_up() {
    const std::size_t first = std::min<std::size_t>(2, plan_.order.warmup.size());
    if (!take_turns(plan_.order.warmup.substr(0, first))) return false;
    const std::string rest = plan_.order.warmup.substr(first);
    if (rest.empty()) return true;
    for (Side* side : started_) side->begin_counting_calls();
    const bool all = take_turns(rest);
    for (Side* side : started_) side->end_counting_calls();
    return all;
  }

  bool take_turns(const std::string& order) {
    for (const char letter : order) {
      if (!side(letter).take_turn()) return false;
      plan_.between_turns();
    }
    return true;
  }

  void give_up() {
    failed_ = true;
    for (Side* side : started_) {
      side->roles().end_as(TrialOutcome::interrupted,
                           "the round was aborted because the other side failed");
    }
  }

  void remove_files() const {
    if (!plan_.settings.keep_files) remove_folder(plan_.directory);
  }

  void add_remarks(DuetRound& round) {
    for (Side* side : {&a_, &b_}) {
      const bool is_a = side == &a_;
      const DuetSide& figures = is_a ? round.a : round.b;
      const auto remark = [&](const std::string& what, const std::string& remedy) {
        round.remarks.push_back({fmt::format("side {}: {}", is_a ? 'A' : 'B', what), remedy});
      };
      for (const Remark& said : side->roles().remarks()) remark(said.what, said.remedy);
      if (figures.outcome != TrialOutcome::completed) {
        remark(std::string(enum_text(figures.outcome)) + ": " + figures.outcome_detail,
               "leave the round out");
      }
      if (figures.rate_missed) {
        remark(fmt::format("the sink could not keep up: {:.6g} events/s", figures.achieved_rate_hz),
               "lower rate_hz");
      }
      if (figures.ledger.unaccounted != 0) {
        remark(fmt::format("{} events are unaccounted for: {}", figures.ledger.unaccounted,
                           figures.ledger.unaccounted_cause),
               "do not compare with this round");
      }
      if (figures.drains_cut_short > 0) {
        remark(fmt::format("{} of {} drains reached the time limit: the sink continued to work",
                           figures.drains_cut_short, figures.drains),
               "its work disturbed the other side's turns; lower rate_hz");
      }
    }
  }

  void report(const char* what) {
    progress_({.what = what, .provider_pid_b = b_.roles().provider_pid()});
  }

  RoundPlan plan_;
  RoundCallback progress_;
  // A coin decides which: what is made first has other addresses, and it shows.
  std::unique_ptr<Side> made_first_;
  std::unique_ptr<Side> made_second_;
  Side& a_;
  Side& b_;
  std::array<Side*, 2> started_;  // in order of their start
  Instant began_;
  unsigned visited_ = 0;
  bool failed_ = false;
  std::vector<std::size_t> visit_starts_;  // positions in the order of turns
  DuetRound round_;
};

Round::Round(RoundPlan plan, RoundCallback report)
    : sides_(std::make_unique<Sides>(std::move(plan), std::move(report))) {}

Round::~Round() = default;

void Round::begin() {
  sides_->begin();
}

void Round::visit() {
  sides_->visit();
}

void Round::probe() {
  sides_->probe();
}

RoundProcesses Round::processes(char side) const {
  return sides_->side(side).processes();
}

std::optional<std::uint64_t> Round::provider_rss_bytes(char side) const {
  return sides_->side(side).provider_rss_bytes();
}

std::vector<std::vector<CallRecord>> Round::logged_calls(char side) const {
  std::vector<std::vector<CallRecord>> copies;
  for (const std::span<const CallRecord> calls : sides_->side(side).logged_calls()) {
    copies.emplace_back(calls.begin(), calls.end());
  }
  return copies;
}

bool Round::has_failed() const {
  return sides_->has_failed();
}

bool Round::has_had_all_turns() const {
  return sides_->has_had_all_turns();
}

RoundOutcome Round::end() {
  return sides_->end();
}

void Round::abandon() {
  sides_->abandon();
}

}  // namespace tailgate
