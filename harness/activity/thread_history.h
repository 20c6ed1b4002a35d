// The state machine of one thread: when and where it ran, when it was ready but not running, when
// it waited and who ended the wait; and marks for its system calls, its page faults and the points
// in the kernel that it passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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
  const char* reason = nullptr;            // likewise, as the system names it; null: not named
  std::uint32_t waker = kUnknown;          // ready after being blocked: who ended the wait …
  bool by_interrupt = false;               // … or who ran below the interrupt that did
};

enum class MarkKind : std::uint8_t {
  system_call_begin,
  system_call_end,
  page_fault,
  kernel_point,
  records_lost,
};

inline constexpr std::uint32_t kNoPoint = kUnknown;
inline constexpr Ticks kNoFault = std::numeric_limits<Ticks>::min();

// A point in time at which a thread entered or left a system call, faulted, or passed a point in
// the kernel; or the end of a time for which the trace lost records.
struct ThreadMark {
  Ticks time = 0;
  MarkKind kind = MarkKind::page_fault;
  bool in_system_call = false;    // after the mark
  std::uint32_t system_call = 0;  // the current one, after the mark
  Ticks fault = kNoFault;         // the page fault in which the thread may be, after the mark
  FaultKind fault_kind = FaultKind::unknown;  // of that fault
  std::uint32_t point = kNoPoint;             // kernel_point: which
  std::uint32_t active = kNoPoint;            // the point whose cause holds after the mark
  std::uint32_t woken = kUnknown;             // kernel_point: the thread that was made ready
  std::uint32_t reclaim = kNoPoint;           // the point that began the reclaim of memory that …
                                              // … the thread is in, after the mark
};

// A thread was in this function of the kernel, or in what called it, until its next entry.
struct FunctionEntry {
  Ticks time = 0;
  std::uint64_t address = 0;  // 0: not known, functions were lost
};

class ThreadHistory {
 public:
  // begin: of the trace. A thread whose first record is a switch out has run since then.
  void switch_out(const ContextSwitch& record, Ticks begin);
  void switch_in(const ContextSwitch& record);
  // waker: the thread that ran on the record's processor at that time.
  void wake(const ThreadReady& record, std::uint32_t waker);
  // The thread has run since then, which no record says. Does nothing if it runs by its records.
  void run_since(Ticks time, std::uint32_t processor);
  void mark(const SystemCall& record);
  void mark(const PageFault& record);
  // fact: of the point. A point that is passed neither in a system call nor in a page fault is no
  // work for the program and is not kept.
  void mark(const KernelPoint& record, const KernelPointFact& fact);
  void mark_wake(const ThreadReady& record);
  // After lost records, what a thread does in the kernel is not known until its next record.
  void mark(const RecordsLost& record);

  // An entry that is older than the one before counts as being as old.
  void enter(FunctionEntry entry);

  // In order of time; each ends where the next begins.
  const std::vector<ThreadStretch>& stretches() const { return stretches_; }
  const std::vector<ThreadMark>& marks() const { return marks_; }
  const std::vector<FunctionEntry>& functions() const { return functions_; }

  // Index of the last stretch or mark at or before a time; the number of all if there is none.
  std::size_t stretch_at(Ticks time) const;
  std::size_t mark_at(Ticks time) const;

 private:
  struct OpenPoint {
    std::uint32_t point;
    Cause cause;
  };

  ThreadMark* add_point(Ticks time, std::uint32_t point);
  // The innermost reclaim of memory that has begun and not ended.
  std::uint32_t open_reclaim() const;

  std::vector<ThreadStretch> stretches_;
  std::vector<ThreadMark> marks_;
  std::vector<FunctionEntry> functions_;
  std::vector<OpenPoint> open_;  // points that mark a begin and have not ended yet
};

}  // namespace tailgate::activity
