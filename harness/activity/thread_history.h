// The state machine of one thread: when it ran and where, when it was ready and not running, when
// it waited and who ended that; and what it told the trace itself: system calls and page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/activity/records.h"

namespace tailgate::activity {

enum class ThreadState : std::uint8_t {
  running,
  ready,    // it could run, but has no processor
  waiting,  // it could not run
};

// Lasts until the next stretch begins.
struct ThreadStretch {
  Ticks begin = 0;
  ThreadState state = ThreadState::running;
  std::uint32_t processor = kUnknown;      // running: where
  Wait wait = Wait::unknown;               // waiting: how …
  WaitsFor waits_for = WaitsFor::unknown;  // … and for what, by the switch out
  std::uint32_t waker = kUnknown;          // ready after waiting: the thread that ended that …
  bool by_interrupt = false;               // … or below the interrupt that did
};

enum class MarkKind : std::uint8_t { system_call_begin, system_call_end, page_fault };

struct ThreadMark {
  Ticks time = 0;
  MarkKind kind = MarkKind::page_fault;
  std::uint32_t system_call = 0;  // the one at hand, after the mark
  bool in_system_call = false;    // whether one is
};

class ThreadHistory {
 public:
  // begin: of the trace, since when a thread that is first seen when it goes out has run.
  void switch_out(const ContextSwitch& record, Ticks begin);
  void switch_in(const ContextSwitch& record);
  // waker: the thread that ran on the record's processor.
  void wake(const ThreadReady& record, std::uint32_t waker);
  // It got the processor as soon as it was ready; nothing when it was not ready.
  void run_since_wake(std::uint32_t processor);
  void mark(const SystemCall& record);
  void mark(const PageFault& record);

  // In order of time, without a gap.
  const std::vector<ThreadStretch>& stretches() const { return stretches_; }
  const std::vector<ThreadMark>& marks() const { return marks_; }

  // The last one that began, or was made, at or before a time; their number when there is none.
  std::size_t stretch_at(Ticks time) const;
  std::size_t mark_at(Ticks time) const;

 private:
  std::vector<ThreadStretch> stretches_;
  std::vector<ThreadMark> marks_;
};

}  // namespace tailgate::activity
