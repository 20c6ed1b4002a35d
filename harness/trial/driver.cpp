#include "harness/trial/driver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/base/affinity.h"
#include "harness/trial/pacing.h"
#include "harness/trial/schedule.h"

namespace tailgate {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Keeps the calls with the longest service times. Costs one comparison for every other call.
class SlowestCalls {
 public:
  SlowestCalls(SlowSlot* slots, std::uint32_t count) : slots_(slots), count_(count) {
    if (count_ == 0) threshold_ns_ = std::numeric_limits<std::uint64_t>::max();
  }

  void offer(std::uint64_t service_ns, std::uint64_t sequence, std::uint64_t intended_ns,
             std::uint64_t start_ns, std::uint64_t end_ns) {
    if (service_ns > threshold_ns_) [[unlikely]] {
      replace_fastest(sequence, intended_ns, start_ns, end_ns);
    }
  }

 private:
  std::uint64_t service_of(const SlowSlot& slot) const {
    return slot.end_ns.load(kRelaxed) - slot.start_ns.load(kRelaxed);
  }

  [[gnu::noinline]] void replace_fastest(std::uint64_t sequence, std::uint64_t intended_ns,
                                         std::uint64_t start_ns, std::uint64_t end_ns) {
    SlowSlot& slot = slots_[fastest_];
    // A reader, also after a kill in between, takes a slot without an end for empty.
    slot.end_ns.store(0, std::memory_order_release);
    slot.start_ns.store(start_ns, std::memory_order_release);
    slot.intended_ns.store(intended_ns, kRelaxed);
    slot.sequence.store(sequence, kRelaxed);
    slot.cpu.store(current_cpu(), kRelaxed);
    slot.end_ns.store(end_ns, std::memory_order_release);
    fastest_ = 0;
    for (std::uint32_t i = 1; i < count_; ++i) {
      if (service_of(slots_[i]) < service_of(slots_[fastest_])) fastest_ = i;
    }
    threshold_ns_ = service_of(slots_[fastest_]);
  }

  SlowSlot* slots_;
  std::uint32_t count_;
  std::uint32_t fastest_ = 0;
  std::uint64_t threshold_ns_ = 0;
};

// When a thread's load ends.
struct Limits {
  std::uint64_t events = std::numeric_limits<std::uint64_t>::max();       // recorded ones
  std::uint64_t intended_ns = std::numeric_limits<std::uint64_t>::max();  // first not to be issued
  std::uint64_t wall_ns = std::numeric_limits<std::uint64_t>::max();      // give up
};

Limits limits_for(const LoadThread& load, std::uint64_t record_start_ns) {
  const LoadPlan& plan = load.plan;
  Limits limits;
  if (plan.duration_s > 0) {
    const auto duration_ns = static_cast<std::uint64_t>(plan.duration_s * 1e9);
    limits.intended_ns = record_start_ns + duration_ns;
    limits.wall_ns = limits.intended_ns + std::max<std::uint64_t>(duration_ns / 2, 1'000'000'000);
  } else {
    const std::uint64_t share = plan.events / plan.threads;
    limits.events = share + (load.thread < plan.events % plan.threads ? 1 : 0);
  }
  return limits;
}

// Everything that the loop touches for each event is a member of its own, not behind the
// references that it came with; the encoding is known to the compiler.
template <EventEncoding kEncoding>
class Loop {
 public:
  Loop(const LoadThread& load, Provider& provider, const ThreadRecord& record)
      : load_(load),
        provider_(provider),
        progress_(record.progress),
        service_(record.service),
        response_(record.response),
        start_lag_(record.start_lag),
        clock_(load.clock),
        schedule_(load.plan, load.thread, load.start_ns),
        limits_(limits_for(load, schedule_.record_start_ns())),
        pacer_(load.plan.pacing, load.clock, load.stop),
        slowest_(record.slowest, record.slowest_count),
        sizes_(payload_sizes(load.plan, load.thread, min_event_bytes(kEncoding))),
        size_mask_(sizes_.size() - 1),
        event_(prepare_event(kEncoding, max_payload_bytes(load.plan, min_event_bytes(kEncoding)))) {
  }

  void open_loop() {
    while (recorded_ < limits_.events) {
      const std::uint64_t intended_ns = schedule_.next_ns();
      if (intended_ns >= limits_.intended_ns) return;
      progress_.last_intended_ns.store(intended_ns, kRelaxed);
      const std::uint64_t start_ns = pacer_.wait_until(intended_ns);
      if (load_.stop.load(kRelaxed) != 0) return;
      if (start_ns > limits_.wall_ns) [[unlikely]] {
        count_unissued();
        return;
      }
      emit(intended_ns, start_ns, intended_ns >= schedule_.record_start_ns());
    }
  }

  void closed_loop() {
    pacer_.wait_until(load_.start_ns);
    while (recorded_ < limits_.events && load_.stop.load(kRelaxed) == 0) {
      const std::uint64_t start_ns = clock_.now_ns();
      if (start_ns >= limits_.intended_ns) return;
      emit(start_ns, start_ns, start_ns >= schedule_.record_start_ns());
    }
  }

 private:
  [[gnu::always_inline]] void emit(std::uint64_t intended_ns, std::uint64_t start_ns,
                                   bool recorded) {
    const std::uint64_t sequence = sequence_;
    const std::uint16_t size_bytes = sizes_[sequence & size_mask_];
    stamp_event(event_.data(), kEncoding,
                {.run = load_.run,
                 .thread = static_cast<std::uint16_t>(load_.thread),
                 .size_bytes = size_bytes,
                 .sequence = sequence,
                 .emit_ns = start_ns});
    progress_.last_start_ns.store(start_ns, kRelaxed);
    progress_.started.store(sequence + 1, kRelaxed);
    const EmitStatus status = provider_.emit(load_.thread, {event_.data(), size_bytes});
    const std::uint64_t end_ns = clock_.now_after_ns();
    sequence_ = sequence + 1;
    if (status != kAccepted) [[unlikely]]
      count_refusal(status);
    progress_.finished.store(sequence + 1, kRelaxed);
    progress_.last_end_ns.store(end_ns, kRelaxed);
    if (recorded) {
      const std::uint64_t service_ns = end_ns - start_ns;
      service_.record(service_ns);
      response_.record(end_ns - intended_ns);
      start_lag_.record(start_ns - intended_ns);
      slowest_.offer(service_ns, sequence, intended_ns, start_ns, end_ns);
      progress_.measured.store(++recorded_, kRelaxed);
    }
  }

  void count_refusal(EmitStatus status) {
    const std::size_t cause = std::min<std::size_t>(status, Provider::kMaxRefusalCauses) - 1;
    std::atomic<std::uint64_t>& count = progress_.refused[cause];
    count.store(count.load(kRelaxed) + 1, kRelaxed);
  }

  // The event at hand and all that the schedule still holds.
  void count_unissued() {
    std::uint64_t unissued = 1;
    while (schedule_.next_ns() < limits_.intended_ns) ++unissued;
    progress_.unissued.store(unissued, kRelaxed);
  }

  const LoadThread& load_;
  Provider& provider_;
  ThreadBlock& progress_;
  HistogramWriter service_;
  HistogramWriter response_;
  HistogramWriter start_lag_;
  const Clock clock_;
  Schedule schedule_;
  const Limits limits_;
  const Pacer pacer_;
  SlowestCalls slowest_;
  const std::vector<std::uint16_t> sizes_;
  const std::size_t size_mask_;
  std::vector<std::byte> event_;
  std::uint64_t sequence_ = 0;
  std::uint64_t recorded_ = 0;
};

template <EventEncoding kEncoding>
void drive(const LoadThread& load, Provider& provider, const ThreadRecord& record) {
  Loop<kEncoding> loop(load, provider, record);
  if (load.plan.shape == Shape::max) {
    loop.closed_loop();
  } else {
    loop.open_loop();
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
