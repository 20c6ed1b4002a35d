// The work of a load loop for each event, independent of what is recorded.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "harness/base/event.h"
#include "harness/os/clock.h"
#include "harness/sink/sink.h"
#include "harness/trial/trial_memory.h"

namespace tailgate {

// The properties of a load thread that are the same for all events.
struct EmitterPlan {
  std::uint32_t run;
  unsigned thread;
  std::span<const std::uint16_t>
      sizes;                 // in bytes, used cyclically; their number is a power of two
  std::byte* events;         // buffers in which events are built, used as the sizes …
  std::size_t stride_bytes;  // … from each to the next; 0: there is one
};

// Recorder has void record<kScheduled>(sequence, intended_ns, start_ns, end_ns), which is called
// after each recorded call. Keep an Emitter on the loop's stack and do not pass its address on, so
// that the compiler can keep its members in registers.
template <EventEncoding kEncoding, class Recorder>
class Emitter {
 public:
  Emitter(const EmitterPlan& plan, Provider& provider, ThreadBlock& progress, Recorder recorder)
      : provider_(&provider),
        progress_(&progress),
        recorder_(std::move(recorder)),
        sizes_(plan.sizes.data()),
        size_mask_(plan.sizes.size() - 1),
        events_(plan.events),
        event_(plan.events),
        stride_bytes_(plan.stride_bytes),
        run_(plan.run),
        thread_(static_cast<std::uint16_t>(plan.thread)) {}

  // Does the work for the next event that does not need its time.
  [[gnu::always_inline]] HeaderWriter<kEncoding> prepare() {
    size_bytes_ = sizes_[sequence_ & size_mask_];
    event_ = events_ + (sequence_ & size_mask_) * stride_bytes_;
    return {event_,
            {.run = run_,
             .thread = thread_,
             .size_bytes = size_bytes_,
             .sequence = sequence_,
             .emit_ns = 0}};
  }

  // Emits the prepared event. kScheduled: true in an open loop. A closed loop has no schedule, so
  // its response times are its service times.
  template <bool kScheduled>
  [[gnu::always_inline]] void emit(HeaderWriter<kEncoding> header, const Clock& clock,
                                   std::uint64_t intended_ns, std::uint64_t start_ns,
                                   bool recorded) {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const std::uint64_t sequence = sequence_++;
    header.put_time(start_ns);
    progress_->last_start_ns.store(start_ns, kRelaxed);
    progress_->started.store(sequence + 1, kRelaxed);
    const EmitStatus status = provider_->emit(thread_, {event_, size_bytes_});
    const std::uint64_t end_ns = clock.now_after_ns();
    if (status != kAccepted) [[unlikely]]
      count_refusal(*progress_, status);
    progress_->finished.store(sequence + 1, kRelaxed);
    progress_->last_end_ns.store(end_ns, kRelaxed);
    if (!recorded) [[unlikely]] {
      progress_->unrecorded.store(++unrecorded_, kRelaxed);
      return;
    }
    recorder_.template record<kScheduled>(sequence, intended_ns, start_ns, end_ns);
  }

  std::uint64_t sequence() const { return sequence_; }  // of the next event
  std::uint64_t recorded() const { return sequence_ - unrecorded_; }
  Recorder& recorder() { return recorder_; }

 private:
  static void count_refusal(ThreadBlock& progress, EmitStatus status) {
    const std::size_t cause = std::min<std::size_t>(status, Provider::kMaxRefusalCauses) - 1;
    std::atomic<std::uint64_t>& count = progress.refused[cause];
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  Provider* provider_;
  ThreadBlock* progress_;
  Recorder recorder_;
  const std::uint16_t* sizes_;
  std::size_t size_mask_;
  std::byte* events_;
  std::byte* event_;  // the prepared one
  std::size_t stride_bytes_;
  std::uint32_t run_;
  std::uint16_t thread_;
  std::uint16_t size_bytes_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t unrecorded_ = 0;  // counted instead of the recorded ones, which are many
};

}  // namespace tailgate
