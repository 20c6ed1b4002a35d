#include "harness/trial/driver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/trial/emitter.h"
#include "harness/trial/pacing.h"
#include "harness/trial/schedule.h"

namespace tailgate {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Keeps the calls with the longest times in a heap, whose top is the shortest of them and is
// replaced next. A call that is not kept costs one comparison.
class LongestCalls {
 public:
  struct Kept {
    std::uint64_t ns = 0;
    std::uint32_t slot = 0;
  };

  // heap: one element per slot; must outlive this object.
  LongestCalls(SlowSlot* slots, std::vector<Kept>& heap) : slots_(slots), heap_(heap) {
    for (std::size_t i = 0; i < heap.size(); ++i) heap[i].slot = static_cast<std::uint32_t>(i);
    if (heap.empty()) least_ns_ = std::numeric_limits<std::uint64_t>::max();
  }

  // The call's times are passed one by one: a struct would be written to memory for every call.
  [[gnu::always_inline]] void offer(std::uint64_t ns, std::uint64_t sequence,
                                    std::uint64_t intended_ns, std::uint64_t start_ns,
                                    std::uint64_t end_ns) {
    if (ns <= least_ns_) [[likely]]
      return;
    keep(slots_[heap_[0].slot], sequence, intended_ns, start_ns, end_ns);
    least_ns_ = replace_top(heap_, ns);
  }

 private:
  [[gnu::noinline]] static void keep(SlowSlot& slot, std::uint64_t sequence,
                                     std::uint64_t intended_ns, std::uint64_t start_ns,
                                     std::uint64_t end_ns) {
    // Readers ignore a slot whose end is 0, also if this process is killed during the writes below.
    slot.end_ns.store(0, std::memory_order_release);
    slot.start_ns.store(start_ns, std::memory_order_release);
    slot.intended_ns.store(intended_ns, kRelaxed);
    slot.sequence.store(sequence, kRelaxed);
    slot.cpu.store(current_cpu(), kRelaxed);
    slot.end_ns.store(end_ns, std::memory_order_release);
  }

  // Replaces the heap's top; returns the time of the new top.
  [[gnu::noinline]] static std::uint64_t replace_top(std::span<Kept> heap, std::uint64_t ns) {
    const Kept added{ns, heap[0].slot};
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * at + 1) {
      if (child + 1 < heap.size() && heap[child + 1].ns < heap[child].ns) ++child;
      if (heap[child].ns >= ns) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = added;
    return heap[0].ns;
  }

  SlowSlot* slots_;
  std::span<Kept> heap_;
  std::uint64_t least_ns_ = 0;
};

// The loop's memory outside of its stack; allocated before the first event.
struct Heaps {
  explicit Heaps(const ThreadRecord& record)
      : service(record.slowest_count), response(record.slowest_responses_count) {}
  std::vector<LongestCalls::Kept> service;
  std::vector<LongestCalls::Kept> response;
};

// Records a trial's calls: three histograms (one in a closed loop) and the slowest calls.
//
// In a closed loop a call is recorded after the next one. Which word of the histogram is raised
// depends on the time read at the call's end, and the next read of the clock waits for that work:
// recording at once would take as long as the rest of the loop. Until then the call is pending in
// shared memory, from where the controller records it if this process is killed.
class HistogramRecorder {
 public:
  HistogramRecorder(const ThreadRecord& record, Heaps& heaps)
      : pending_(&record.progress.pending_service_ns),
        service_(record.service),
        response_(record.response),
        start_lag_(record.start_lag),
        slowest_(record.slowest, heaps.service),
        slowest_responses_(record.slowest_responses, heaps.response) {}

  template <bool kScheduled>
  [[gnu::always_inline]] void record(std::uint64_t sequence, std::uint64_t intended_ns,
                                     std::uint64_t start_ns, std::uint64_t end_ns) {
    const std::uint64_t service_ns = end_ns - start_ns;
    if constexpr (kScheduled) {
      const std::uint64_t response_ns = end_ns - intended_ns;
      service_.record(service_ns);
      response_.record(response_ns);
      start_lag_.record(start_ns - intended_ns);
      slowest_responses_.offer(response_ns, sequence, intended_ns, start_ns, end_ns);
      slowest_.offer(service_ns, sequence, intended_ns, start_ns, end_ns);
    } else {
      pending_->store(service_ns + 1, kRelaxed);
      record_previous(sequence);
      has_previous_ = true;
      previous_start_ns_ = start_ns;
      previous_end_ns_ = end_ns;
    }
  }

  // At the end of a closed loop. sequence: of the event that would be next.
  void finish(std::uint64_t sequence) {
    record_previous(sequence);
    has_previous_ = false;
    pending_->store(0, kRelaxed);
  }

 private:
  [[gnu::always_inline]] void record_previous(std::uint64_t sequence) {
    if (!has_previous_) [[unlikely]]
      return;
    const std::uint64_t service_ns = previous_end_ns_ - previous_start_ns_;
    service_.record(service_ns);
    slowest_.offer(service_ns, sequence - 1, previous_start_ns_, previous_start_ns_,
                   previous_end_ns_);
  }

  std::atomic<std::uint64_t>* pending_;
  HistogramWriter service_;
  HistogramWriter response_;
  HistogramWriter start_lag_;
  LongestCalls slowest_;
  LongestCalls slowest_responses_;
  std::uint64_t previous_start_ns_ = 0;
  std::uint64_t previous_end_ns_ = 0;
  bool has_previous_ = false;
};

template <EventEncoding kEncoding>
using TrialEmitter = Emitter<kEncoding, HistogramRecorder>;

// Counts this event and those after it as unissued, up to that time. Returns the time of the next.
std::uint64_t leave_out(std::uint64_t intended_ns, std::uint64_t until_ns, Schedule& schedule,
                        ThreadBlock& progress) {
  if (intended_ns >= until_ns) return intended_ns;
  const std::uint64_t left_out = 1 + schedule.skip_until(until_ns);
  progress.unissued.store(progress.unissued.load(kRelaxed) + left_out, kRelaxed);
  return schedule.next_ns();
}

template <EventEncoding kEncoding>
void open_loop(const LoadThread& load, TrialEmitter<kEncoding> emitter, Schedule& schedule,
               ThreadBlock& progress) {
  const Clock clock = load.clock;
  Pacer pacer(load.plan.pacing, clock, load.stop);
  const std::uint64_t record_start_ns = schedule.record_start_ns();
  const LoadLimits limits = load_limits(load.plan, load.thread, record_start_ns);
  std::uint64_t give_up_ns = limits.warmup_wall_ns;  // the warm-up first, then the load
  while (emitter.recorded() < limits.events) {
    std::uint64_t intended_ns = schedule.next_ns();
    if (intended_ns >= limits.intended_ns) return;
    progress.last_intended_ns.store(intended_ns, kRelaxed);
    const auto header = emitter.prepare();
    std::uint64_t start_ns = pacer.wait_until(intended_ns);
    progress.spun_ns.store(pacer.spun_ns(), kRelaxed);
    if (load.stop.load(kRelaxed) != 0) return;
    if (start_ns > give_up_ns) [[unlikely]] {
      const bool load_over = start_ns > limits.wall_ns;
      intended_ns = leave_out(intended_ns, load_over ? limits.intended_ns : record_start_ns,
                              schedule, progress);
      if (load_over || intended_ns >= limits.intended_ns) return;
      give_up_ns = limits.wall_ns;
      progress.last_intended_ns.store(intended_ns, kRelaxed);
      start_ns = pacer.wait_until(intended_ns);
    }
    emitter.template emit<true>(header, clock, intended_ns, start_ns,
                                intended_ns >= record_start_ns);
  }
}

template <EventEncoding kEncoding>
void closed_loop(const LoadThread& load, TrialEmitter<kEncoding> emitter,
                 std::uint64_t record_start_ns, ThreadBlock& progress) {
  const Clock clock = load.clock;
  Pacer pacer(load.plan.pacing, clock, load.stop);
  pacer.wait_until(load.start_ns);
  const LoadLimits limits = load_limits(load.plan, load.thread, record_start_ns);
  const std::atomic<std::uint32_t>& stop = load.stop;
  const auto pause_ns = static_cast<std::uint64_t>(load.plan.burst_gap_s * 1e9);
  std::uint64_t until_pause = load.plan.burst_events;  // from 0 it wraps around: no pause, ever
  while (emitter.recorded() < limits.events && stop.load(kRelaxed) == 0) {
    const auto header = emitter.prepare();
    const std::uint64_t start_ns = clock.now_ns();
    if (start_ns >= limits.intended_ns) break;
    emitter.template emit<false>(header, clock, start_ns, start_ns, start_ns >= record_start_ns);
    if (--until_pause == 0) [[unlikely]] {
      pacer.wait_until(clock.now_ns() + pause_ns);
      progress.spun_ns.store(pacer.spun_ns(), kRelaxed);
      until_pause = load.plan.burst_events;
    }
  }
  emitter.recorder().finish(emitter.sequence());
}

template <EventEncoding kEncoding>
void drive(const LoadThread& load, Provider& provider, const ThreadRecord& record) {
  constexpr std::size_t kMinBytes = min_event_bytes(kEncoding);
  const std::vector<std::uint16_t> sizes = payload_sizes(load.plan, load.thread, kMinBytes);
  EventBuffers events = event_buffers(load.plan, kEncoding);
  Schedule schedule(load.plan, load.thread, load.start_ns);
  Heaps heaps(record);
  const TrialEmitter<kEncoding> emitter({.run = load.run,
                                         .thread = load.thread,
                                         .sizes = sizes,
                                         .events = events.bytes.data(),
                                         .stride_bytes = events.stride_bytes},
                                        provider, record.progress,
                                        HistogramRecorder(record, heaps));
  if (load.plan.shape == Shape::max) {
    closed_loop(load, emitter, schedule.record_start_ns(), record.progress);
  } else {
    open_loop(load, emitter, schedule, record.progress);
  }
}

}  // namespace

void drive_load(const LoadThread& load, Provider& provider, const ThreadRecord& record) {
  if (load.encoding == EventEncoding::text) {
    drive<EventEncoding::text>(load, provider, record);
  } else {
    drive<EventEncoding::binary>(load, provider, record);
  }
}

}  // namespace tailgate
