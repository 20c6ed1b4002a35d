#include "harness/trial/turns.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/os/shared_wait.h"
#include "harness/os/thread_switches.h"
#include "harness/overhead/sampler.h"
#include "harness/overhead/taken_time.h"
#include "harness/trial/emitter.h"
#include "harness/trial/judged_call.h"
#include "harness/trial/pacing.h"
#include "harness/trial/schedule.h"

namespace tailgate {
namespace {

constexpr auto kUnordered = std::memory_order_relaxed;

// If two consecutive clock reads are further apart than this, something else than the loop ran
// between them.
constexpr std::uint64_t kInterruptedNs = 2'000;

constexpr std::uint64_t kMinPatienceNs = 200'000'000;

// Reads the thread's context switches and processor time, and tells what changed since the last
// read.
class ThreadWatch {
 public:
  explicit ThreadWatch(const Clock& clock)
      : clock_(clock), tells_stolen_(thread_time_leaves_out_stolen_alone()) {
    check();
  }

  bool tells_kinds() const { return tells_kinds_; }

  // System calls that the checks made so far.
  std::uint64_t system_calls() const { return system_calls_; }

  [[gnu::noinline]] Since check() {
    Since since = check_once();
    // Reading took so long that the thread was probably switched out during it. Read again, since
    // otherwise the next read could not tell to which period that switch belongs.
    for (int again = 0; again < kMaxRetries && since.now_ns - seen_ns_ > kLongCheckNs; ++again) {
      const Since more = check_once();
      since = {std::max(since.kind, more.kind), since.away_ns + more.away_ns, more.now_ns,
               since.checked_ns};
    }
    return since;
  }

 private:
  static constexpr std::uint64_t kLongCheckNs = 10'000;
  static constexpr int kMaxRetries = 3;

  Since check_once() {
    const std::uint64_t now_ns = clock_.now_ns();
    system_calls_ += 2;  // the next, and that of check_switches()
    const std::uint64_t cpu_ns = thread_cpu_ns();
    const std::uint64_t checked_ns = std::exchange(seen_ns_, now_ns);
    const std::uint64_t passed_ns = now_ns - checked_ns;
    const std::uint64_t used_ns = cpu_ns - std::exchange(seen_cpu_ns_, cpu_ns);
    const std::uint64_t away_ns = passed_ns > used_ns ? passed_ns - used_ns : 0;
    CallKind kind = check_switches();
    if (kind == CallKind::unremarkable && tells_stolen_ && away_ns > 0) kind = CallKind::stolen;
    return {kind, away_ns, clock_.now_ns(), checked_ns};
  }

  CallKind check_switches() {
    const std::optional<SwitchCounts> now = thread_switches();
    tells_kinds_ = now.has_value();
    if (!now) return CallKind::unremarkable;
    const SwitchCounts before = std::exchange(seen_, *now);
    if (seen_.voluntary > before.voluntary) return CallKind::blocked;
    return seen_.involuntary > before.involuntary ? CallKind::preempted : CallKind::unremarkable;
  }

  const Clock clock_;
  const bool tells_stolen_;
  std::uint64_t seen_ns_ = 0;
  std::uint64_t seen_cpu_ns_ = 0;
  SwitchCounts seen_;
  std::uint64_t system_calls_ = 0;
  bool tells_kinds_ = false;
};

class CallRecorder {
 public:
  CallRecorder(const TurnRecord& record, ThreadWatch& watch)
      : calls_(record.calls),
        turn_room_(record.plan.max_calls / (record.plan.count - record.plan.warmup)),
        logged_total_(&record.log.logged),
        watch_(&watch) {}

  void begin_turn(std::uint32_t number) {
    watch_->check();  // the thread slept, which belongs to no call
    turn_ = number;
    turn_end_ = logged_ + turn_room_;
  }
  // Each turn has its own share of the log, so that no turn uses up another's.
  bool full() const { return logged_ == turn_end_; }

  // Called between two clock reads without a call between them. If they are far apart, accounts for
  // the switches, which then belong to no call. spinning: the thread was spinning during that time.
  // Returns the current time.
  [[gnu::always_inline]] std::uint64_t stepped(std::uint64_t previous_ns, std::uint64_t now_ns,
                                               bool spinning) {
    if (now_ns - previous_ns <= kInterruptedNs) [[likely]]
      return now_ns;
    const Since since = watch_->check();
    if (spinning) away_ns_ += std::min(since.away_ns, since.now_ns - previous_ns);
    return since.now_ns;
  }

  // Part of the time spent spinning in which the thread did not run, because of other threads,
  // interrupts or the hypervisor.
  std::uint64_t away_ns() const { return away_ns_; }

  template <bool kScheduled>
  [[gnu::always_inline]] void record(std::uint64_t, std::uint64_t intended_ns,
                                     std::uint64_t start_ns, std::uint64_t end_ns) {
    JudgedCall judged;
    if (end_ns - start_ns > kSlowCallNs) [[unlikely]]
      judged = judge_call(watch_->check(), end_ns - start_ns);
    calls_[logged_++] = {intended_ns, start_ns, end_ns, turn_, judged.kind, judged.ran_us};
    logged_total_->store(logged_, std::memory_order_release);
  }

 private:
  CallRecord* calls_;
  std::uint64_t turn_room_;
  std::uint64_t turn_end_ = 0;
  std::uint64_t logged_ = 0;
  std::atomic<std::uint64_t>* logged_total_;
  ThreadWatch* watch_;
  std::uint64_t away_ns_ = 0;
  std::uint32_t turn_ = 0;
};

template <EventEncoding kEncoding>
using TurnEmitter = Emitter<kEncoding, CallRecorder>;

// One turn on the run clock.
struct TurnSpan {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  bool recorded;
};

// The emitter is passed in and out by value, which keeps its members in registers.
template <EventEncoding kEncoding>
TurnEmitter<kEncoding> open_turn(TurnEmitter<kEncoding> emitter, const LoadThread& load,
                                 const TurnSpan& span, Schedule schedule, Pacer& pacer,
                                 ThreadBlock& progress) {
  const Clock clock = load.clock;
  const std::uint64_t give_up_ns = span.start_ns + turn_give_up_ns(span.end_ns - span.start_ns);
  std::uint64_t last_read_ns = clock.now_ns();
  const auto stepped = [&](std::uint64_t previous_ns, std::uint64_t now_ns) {
    return emitter.recorder().stepped(previous_ns, now_ns,
                                      previous_ns != last_read_ns && !pacer.slept());
  };
  while (true) {
    const std::uint64_t intended_ns = schedule.next_ns();
    if (intended_ns >= span.end_ns) return emitter;
    progress.last_intended_ns.store(intended_ns, kUnordered);
    const auto header = emitter.prepare();
    const std::uint64_t start_ns = pacer.wait_until(intended_ns, last_read_ns, stepped);
    if (load.stop.load(kUnordered) != 0) return emitter;
    if (start_ns > give_up_ns || emitter.recorder().full()) [[unlikely]] {
      // This event and the rest of the turn's schedule.
      const std::uint64_t unissued = 1 + schedule.skip_until(span.end_ns);
      progress.unissued.store(progress.unissued.load(kUnordered) + unissued, kUnordered);
      return emitter;
    }
    emitter.template emit<true>(header, clock, intended_ns, start_ns, span.recorded);
    last_read_ns = progress.last_end_ns.load(kUnordered);
  }
}

template <EventEncoding kEncoding>
TurnEmitter<kEncoding> closed_turn(TurnEmitter<kEncoding> emitter, const LoadThread& load,
                                   const TurnSpan& span, Pacer& pacer,
                                   const ThreadBlock& progress) {
  const Clock clock = load.clock;
  std::uint64_t last_read_ns = pacer.wait_until(span.start_ns);
  while (load.stop.load(kUnordered) == 0 && !emitter.recorder().full()) {
    const auto header = emitter.prepare();
    const std::uint64_t start_ns = emitter.recorder().stepped(last_read_ns, clock.now_ns(), false);
    if (start_ns >= span.end_ns) break;
    emitter.template emit<false>(header, clock, start_ns, start_ns, span.recorded);
    last_read_ns = progress.last_end_ns.load(kUnordered);
  }
  return emitter;
}

// One call. One that lost its processor is no stall of the sink. All threads count in the same
// words.
template <EventEncoding kEncoding>
TurnEmitter<kEncoding> probe(TurnEmitter<kEncoding> emitter, const LoadThread& load,
                             ThreadWatch& watch, const TurnRecord& record) {
  const auto header = emitter.prepare();
  watch.check();  // the switches so far belong to no call
  const std::uint64_t start_ns = load.clock.now_ns();
  emitter.template emit<true>(header, load.clock, start_ns, start_ns, false);
  const std::uint64_t service_ns = record.progress.last_end_ns.load(kUnordered) - start_ns;
  record.turn.probes.fetch_add(1, kUnordered);
  if (service_ns > kStallNs && !lost_processor(judge_call(watch.check(), service_ns).kind)) {
    record.turn.probe_stalls.fetch_add(1, kUnordered);
    record.turn.probe_stalled_ns.fetch_add(service_ns, kUnordered);
  }
  return emitter;
}

// How a load thread hears from the controller, and from the other threads of its side.
class Handover {
 public:
  Handover(const LoadThread& load, TurnBlock& turn) : load_(load), turn_(turn) {}

  // Waits until more than `seen` grants were made. Returns false if stop is set.
  bool wait_for_grant(std::uint32_t seen) {
    // Whoever sets stop wakes the threads. They sleep long, since others are measured meanwhile.
    return wait_for(turn_.granted, seen, std::chrono::seconds(10));
  }

  // Returns when turn `number` begins: once all threads are awake.
  std::uint64_t begin_ns(std::uint32_t number) {
    const std::uint32_t threads = load_.plan.threads;
    if (threads == 1) return load_.clock.now_ns() + kTurnLeadNs;
    if (turn_.awake.fetch_add(1, std::memory_order_acq_rel) + 1 == threads * (number + 1)) {
      turn_.begin_ns.store(load_.clock.now_ns() + kTurnLeadOfSeveralNs, kUnordered);
      raise(turn_.begun, number + 1);
    } else {
      wait_for(turn_.begun, number, std::chrono::milliseconds(50));
    }
    return turn_.begin_ns.load(kUnordered);
  }

  // Reports the grant with this number, from 0, as carried out by this thread.
  void carried_out(std::uint32_t grant) {
    const std::uint32_t all = load_.plan.threads * (grant + 1);
    if (turn_.carried_out.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
      raise(turn_.done, grant + 1);
    }
  }

  // Each wait is one, and each time that others are woken.
  std::uint64_t system_calls() const { return system_calls_; }

 private:
  bool wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                std::chrono::milliseconds longest_sleep) {
    while (load_.stop.load(kUnordered) == 0) {
      const std::uint32_t now = word.load(std::memory_order_acquire);
      if (now > seen) return true;
      ++system_calls_;
      wait_while(word, now, longest_sleep);
    }
    return false;
  }

  void raise(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value, std::memory_order_release);
    ++system_calls_;
    wake_all(word);
  }

  const LoadThread& load_;
  TurnBlock& turn_;
  std::uint64_t system_calls_ = 0;
};

template <EventEncoding kEncoding>
TurnEmitter<kEncoding> take_turn(TurnEmitter<kEncoding> emitter, const LoadThread& load,
                                 const TurnRecord& record, std::uint32_t number, Pacer& pacer,
                                 Handover& handover) {
  const TurnPlan& plan = record.plan;
  const std::uint64_t start_ns = handover.begin_ns(number);
  emitter.recorder().begin_turn(number - plan.warmup);
  const TurnSpan span = {start_ns, start_ns + plan.length_ns, number >= plan.warmup};
  const LoadPlan own = turn_load(load.plan, plan, number);
  if (own.shape == Shape::max) {
    emitter = closed_turn(emitter, load, span, pacer, record.progress);
  } else {
    emitter = open_turn(emitter, load, span, Schedule(own, load.thread, start_ns), pacer,
                        record.progress);
  }
  record.progress.spun_ns.store(pacer.spun_ns() - emitter.recorder().away_ns(), kUnordered);
  return emitter;
}

template <EventEncoding kEncoding>
void drive(const LoadThread& load, Provider& provider, const TurnRecord& record) {
  constexpr std::size_t kMinBytes = min_event_bytes(kEncoding);
  const std::vector<std::uint16_t> sizes = payload_sizes(load.plan, load.thread, kMinBytes);
  EventBuffers events = event_buffers(load.plan, kEncoding);
  ThreadWatch watch(load.clock);
  record.turn.classified.store(watch.tells_kinds() ? 1 : 0);
  TurnEmitter<kEncoding> emitter({.run = load.run,
                                  .thread = load.thread,
                                  .sizes = sizes,
                                  .events = events.bytes.data(),
                                  .stride_bytes = events.stride_bytes},
                                 provider, record.progress, CallRecorder(record, watch));
  Pacer pacer(load.plan.pacing, load.clock, load.stop);
  Handover handover(load, record.turn);
  std::uint32_t number = 0;  // of the next turn
  for (std::uint32_t grant_number = 0;; ++grant_number) {
    if (!handover.wait_for_grant(grant_number)) return;
    const Grant grant = record.turn.grant.load(kUnordered);
    if (grant == Grant::probe) {
      emitter = probe(emitter, load, watch, record);
    } else if (grant == Grant::turn && number < record.plan.count) {
      emitter = take_turn(emitter, load, record, number++, pacer, handover);
    } else {
      return;
    }
    record.progress.own_system_calls.store(
        watch.system_calls() + pacer.sleeps() + handover.system_calls(), kUnordered);
    handover.carried_out(grant_number);
  }
}

}  // namespace

LoadPlan turn_load(const LoadPlan& whole, const TurnPlan& plan, std::uint32_t number) {
  LoadPlan load = whole;
  load.warmup_s = 0;
  load.events = 0;
  load.duration_s = static_cast<double>(plan.length_ns) / 1e9;
  load.seed = whole.seed + number * 0x9E3779B97F4A7C15ull;
  return load;
}

std::uint64_t turn_give_up_ns(std::uint64_t length_ns) {
  return length_ns + std::max(length_ns, kMinPatienceNs);
}

void drive_turns(const LoadThread& load, Provider& provider, const TurnRecord& record) {
  if (load.encoding == EventEncoding::text) {
    drive<EventEncoding::text>(load, provider, record);
  } else {
    drive<EventEncoding::binary>(load, provider, record);
  }
}

}  // namespace tailgate
