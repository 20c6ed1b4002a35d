#include "harness/trial/slices.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "harness/base/shared_wait.h"
#include "harness/base/thread_switches.h"
#include "harness/overhead/sampler.h"
#include "harness/trial/emitter.h"
#include "harness/trial/pacing.h"
#include "harness/trial/schedule.h"

namespace tailgate {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// From waking up to a slice's first intended time: the thread spins through it, so that a processor
// that had been idle is awake.
constexpr std::uint64_t kSliceLeadNs = 50'000;

// Two looks at the clock that are farther apart have something between them that is not the loop.
constexpr std::uint64_t kGapNs = 2'000;

constexpr std::uint64_t kLeastPatienceNs = 200'000'000;

// What became of the thread since the watch last looked.
struct Since {
  CallKind kind;          // of a call that took all of that time
  std::uint64_t away_ns;  // during which it did not have its processor
  std::uint64_t now_ns;   // the time after the look
};

// Looks at the thread's context switches and at the processor time that it got.
class ThreadWatch {
 public:
  explicit ThreadWatch(const Clock& clock) : clock_(clock) { look(); }

  bool tells_kinds() const { return tells_kinds_; }

  [[gnu::noinline]] Since look() {
    Since since = look_once();
    // Interrupted by a switch that it may have counted or not: whose time that was, the next look
    // could not tell.
    for (int again = 0; again < kMostAgain && since.now_ns - seen_ns_ > kLongLookNs; ++again) {
      const Since more = look_once();
      since = {std::max(since.kind, more.kind), since.away_ns + more.away_ns, more.now_ns};
    }
    return since;
  }

 private:
  static constexpr std::uint64_t kLongLookNs = 10'000;
  static constexpr int kMostAgain = 3;

  Since look_once() {
    const std::uint64_t now_ns = clock_.now_ns();
    const std::uint64_t cpu_ns = thread_cpu_ns();
    const std::uint64_t passed_ns = now_ns - std::exchange(seen_ns_, now_ns);
    const std::uint64_t used_ns = cpu_ns - std::exchange(seen_cpu_ns_, cpu_ns);
    const CallKind kind = look_at_switches();
    return {kind, passed_ns > used_ns ? passed_ns - used_ns : 0, clock_.now_ns()};
  }

  CallKind look_at_switches() {
    const std::optional<SwitchCounts> now = thread_switches();
    tells_kinds_ = now.has_value();
    if (!now) return CallKind::unremarkable;
    const SwitchCounts before = std::exchange(seen_, *now);
    if (seen_.voluntary > before.voluntary) return CallKind::blocked;
    return seen_.involuntary > before.involuntary ? CallKind::preempted : CallKind::unremarkable;
  }

  const Clock clock_;
  std::uint64_t seen_ns_ = 0;
  std::uint64_t seen_cpu_ns_ = 0;
  SwitchCounts seen_;
  bool tells_kinds_ = false;
};

class CallRecorder {
 public:
  CallRecorder(const SliceRecord& record, ThreadWatch& watch)
      : calls_(record.calls),
        slice_room_(record.plan.max_calls / (record.plan.count - record.plan.warmup)),
        logged_total_(&record.turn.logged),
        watch_(&watch) {}

  void begin_slice(std::uint32_t slice) {
    slice_ = slice;
    slice_end_ = logged_ + slice_room_;
  }
  // Each slice has its share of the log, so that none takes another's.
  bool full() const { return logged_ == slice_end_; }

  // Between two looks at the clock without a call in between; spinning: both while waiting awake.
  // What switches there were belong to no call. Returns the time now, after what it did.
  [[gnu::always_inline]] std::uint64_t stepped(std::uint64_t previous_ns, std::uint64_t now_ns,
                                               bool spinning) {
    if (now_ns - previous_ns <= kGapNs) [[likely]]
      return now_ns;
    const Since since = watch_->look();
    if (spinning) away_ns_ += std::min(since.away_ns, since.now_ns - previous_ns);
    return since.now_ns;
  }

  // Of the time spent waiting awake what the thread did not have: others', interrupts', the host's.
  std::uint64_t away_ns() const { return away_ns_; }

  template <bool kScheduled>
  [[gnu::always_inline]] void record(std::uint64_t, std::uint64_t intended_ns,
                                     std::uint64_t start_ns, std::uint64_t end_ns) {
    CallKind kind = CallKind::unremarkable;
    if (end_ns - start_ns > kSlowCallNs) [[unlikely]]
      kind = watch_->look().kind;
    calls_[logged_++] = {intended_ns, start_ns, end_ns, slice_, kind};
    logged_total_->store(logged_, std::memory_order_release);
  }

 private:
  CallRecord* calls_;
  std::uint64_t slice_room_;
  std::uint64_t slice_end_ = 0;
  std::uint64_t logged_ = 0;
  std::atomic<std::uint64_t>* logged_total_;
  ThreadWatch* watch_;
  std::uint64_t away_ns_ = 0;
  std::uint32_t slice_ = 0;
};

template <EventEncoding kEncoding>
using SliceEmitter = Emitter<kEncoding, CallRecorder>;

// One slice on the run clock.
struct SliceSpan {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  bool recorded;
};

// Passing the emitter in and out by value keeps its parts in registers in between.
template <EventEncoding kEncoding>
SliceEmitter<kEncoding> open_slice(SliceEmitter<kEncoding> emitter, const LoadThread& load,
                                   const SliceSpan& span, Schedule schedule, Pacer& pacer,
                                   ThreadBlock& progress) {
  const Clock clock = load.clock;
  const std::uint64_t give_up_ns =
      span.end_ns + std::max(span.end_ns - span.start_ns, kLeastPatienceNs);
  std::uint64_t last_look_ns = clock.now_ns();
  const auto stepped = [&](std::uint64_t previous_ns, std::uint64_t now_ns) {
    return emitter.recorder().stepped(previous_ns, now_ns,
                                      previous_ns != last_look_ns && !pacer.slept());
  };
  while (true) {
    const std::uint64_t intended_ns = schedule.next_ns();
    if (intended_ns >= span.end_ns) return emitter;
    progress.last_intended_ns.store(intended_ns, kRelaxed);
    const auto header = emitter.prepare();
    const std::uint64_t start_ns = pacer.wait_until(intended_ns, last_look_ns, stepped);
    if (load.stop.load(kRelaxed) != 0) return emitter;
    if (start_ns > give_up_ns || emitter.recorder().full()) [[unlikely]] {
      // The event at hand and all that the slice still holds.
      std::uint64_t unissued = 1;
      while (schedule.next_ns() < span.end_ns) ++unissued;
      progress.unissued.store(progress.unissued.load(kRelaxed) + unissued, kRelaxed);
      return emitter;
    }
    emitter.template emit<true>(header, clock, intended_ns, start_ns, span.recorded);
    last_look_ns = progress.last_end_ns.load(kRelaxed);
  }
}

template <EventEncoding kEncoding>
SliceEmitter<kEncoding> closed_slice(SliceEmitter<kEncoding> emitter, const LoadThread& load,
                                     const SliceSpan& span, Pacer& pacer,
                                     const ThreadBlock& progress) {
  const Clock clock = load.clock;
  std::uint64_t last_look_ns = pacer.wait_until(span.start_ns);
  while (load.stop.load(kRelaxed) == 0 && !emitter.recorder().full()) {
    const auto header = emitter.prepare();
    const std::uint64_t start_ns = emitter.recorder().stepped(last_look_ns, clock.now_ns(), false);
    if (start_ns >= span.end_ns) break;
    emitter.template emit<false>(header, clock, start_ns, start_ns, span.recorded);
    last_look_ns = progress.last_end_ns.load(kRelaxed);
  }
  return emitter;
}

// The load of one slice by itself, with arrivals of its own.
LoadPlan slice_load(const LoadPlan& whole, const SlicePlan& plan, std::uint32_t slice) {
  LoadPlan load = whole;
  load.warmup_s = 0;
  load.events = 0;
  load.duration_s = static_cast<double>(plan.length_ns) / 1e9;
  load.seed = whole.seed + slice * 0x9E3779B97F4A7C15ull;
  return load;
}

// Until the slice is granted; false when there is none left to run.
bool wait_for_turn(const LoadThread& load, const TurnBlock& turn, std::uint32_t slice) {
  while (load.stop.load(kRelaxed) == 0) {
    const std::uint32_t granted = turn.granted.load(std::memory_order_acquire);
    if (granted > slice) return true;
    wait_while(turn.granted, granted, std::chrono::seconds(1));
  }
  return false;
}

template <EventEncoding kEncoding>
void drive(const LoadThread& load, Provider& provider, const SliceRecord& record) {
  constexpr std::size_t kMinBytes = min_event_bytes(kEncoding);
  const SlicePlan& plan = record.plan;
  const std::vector<std::uint16_t> sizes = payload_sizes(load.plan, load.thread, kMinBytes);
  std::vector<std::byte> event = prepare_event(kEncoding, max_payload_bytes(load.plan, kMinBytes));
  ThreadWatch watch(load.clock);
  record.turn.classified.store(watch.tells_kinds() ? 1 : 0);
  SliceEmitter<kEncoding> emitter(
      {.run = load.run, .thread = load.thread, .sizes = sizes, .event = event.data()}, provider,
      record.progress, CallRecorder(record, watch));
  Pacer pacer(load.plan.pacing, load.clock, load.stop);
  for (std::uint32_t slice = 0; slice < plan.count; ++slice) {
    if (!wait_for_turn(load, record.turn, slice)) return;
    const std::uint64_t start_ns = load.clock.now_ns() + kSliceLeadNs;
    const SliceSpan span = {start_ns, start_ns + plan.length_ns, slice >= plan.warmup};
    emitter.recorder().begin_slice(slice - plan.warmup);
    const LoadPlan own = slice_load(load.plan, plan, slice);
    if (own.shape == Shape::max) {
      emitter = closed_slice(emitter, load, span, pacer, record.progress);
    } else {
      emitter = open_slice(emitter, load, span, Schedule(own, load.thread, start_ns), pacer,
                           record.progress);
    }
    record.progress.spun_ns.store(pacer.spun_ns() - emitter.recorder().away_ns(), kRelaxed);
    record.turn.done.store(slice + 1, std::memory_order_release);
    wake_all(record.turn.done);
  }
  // Closing the sink is work too: not in the other side's slices.
  wait_for_turn(load, record.turn, plan.count);
}

}  // namespace

void drive_slices(const LoadThread& load, Provider& provider, const SliceRecord& record) {
  if (load.encoding == EventEncoding::text) {
    drive<EventEncoding::text>(load, provider, record);
  } else {
    drive<EventEncoding::binary>(load, provider, record);
  }
}

}  // namespace tailgate
