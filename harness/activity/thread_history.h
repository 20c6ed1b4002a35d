// The state machine of one thread: when and where it ran, when it was ready but not running, when
// it waited and who ended the wait; and marks for its system calls and page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/activity/records.h"

namespace tailgate::activity {

enum class ThreadState : std::uint8_t {
  running,
  ready,  // runnable, but without a processor
  blocked,
};

// A period in which a thread stays in one state. It lasts until the next stretch begins.
struct ThreadStretch {
  Ticks begin = 0;
  ThreadState state = ThreadState::running;
  std::uint32_t processor = kUnknown;      // running: where
  Wait wait = Wait::unknown;               // blocked: how …
  WaitsFor waits_for = WaitsFor::unknown;  // … and for what, by the switch record
  std::uint32_t waker = kUnknown;          // ready after being blocked: who ended the wait …
  bool by_interrupt = false;               // … or who ran below the interrupt that did
};

enum class MarkKind : std::uint8_t { system_call_begin, system_call_end, page_fault };

// A point in time at which a thread entered or left a system call, or faulted.
struct ThreadMark {
  Ticks time = 0;
  MarkKind kind = MarkKind::page_fault;
  std::uint32_t system_call = 0;  // the current one, after the mark
  bool in_system_call = false;    // after the mark
};

class ThreadHistory {
 public:
  // begin: of the trace. A thread whose first record is a switch out has run since then.
  void switch_out(const ContextSwitch& record, Ticks begin);
  void switch_in(const ContextSwitch& record);
  // waker: the thread that ran on the record's processor at that time.
  void wake(const ThreadReady& record, std::uint32_t waker);
  // Records that the thread has run since it became ready. Does nothing if it was not ready.
  void run_since_wake(std::uint32_t processor);
  void mark(const SystemCall& record);
  void mark(const PageFault& record);

  // In order of time; each ends where the next begins.
  const std::vector<ThreadStretch>& stretches() const { return stretches_; }
  const std::vector<ThreadMark>& marks() const { return marks_; }

  // Index of the last stretch or mark at or before a time; the number of all if there is none.
  std::size_t stretch_at(Ticks time) const;
  std::size_t mark_at(Ticks time) const;

 private:
  std::vector<ThreadStretch> stretches_;
  std::vector<ThreadMark> marks_;
};

}  // namespace tailgate::activity
