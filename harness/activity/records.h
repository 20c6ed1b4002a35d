// What a kernel trace says about who runs where, free of any system's words: an ETW kernel session,
// a Linux ftrace or LTTng kernel trace become these records, and Timeline explains them.
//
// Times are ticks of the trace's own clock; the Timeline is told how many make a second.
#pragma once

#include <cstdint>
#include <string>

namespace tailgate::activity {

using Ticks = std::int64_t;

// A processor stopped running one thread and runs another. Thread 0 is the idle thread, one a
// processor.
struct ContextSwitch {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t old_thread = 0;
  std::uint32_t new_thread = 0;
  bool old_was_preempted = false;  // it could have run on: it did not block
};

// A thread was made runnable by whatever ran on `processor` at that time.
struct ThreadReady {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
};

enum class InterruptKind : std::uint8_t {
  hardware,           // ISR, hard IRQ
  deferred,           // DPC, softirq
  deferred_timer,     // timer DPC
  deferred_threaded,  // runs inside a thread, whose time it stays
};

// A processor ran an interrupt's or deferred routine from begin to end, on top of what it was
// running. Delivered at its end, so a nested one arrives before the one it interrupted.
struct Interrupt {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t processor = 0;
  InterruptKind kind = InterruptKind::hardware;
  std::uint64_t routine = 0;  // its address, or a number that names it
};

// A thread exists. rundown: it did before the trace began, or still does at its end, and this only
// says whose it is; otherwise it was created now, and an earlier one of that id is gone.
struct ThreadFact {
  Ticks time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
  std::string name;  // may be empty
  bool rundown = false;
};

struct ProcessFact {
  Ticks time = 0;
  std::uint32_t process = 0;
  std::uint32_t parent = 0;
  std::string name;
  bool rundown = false;
};

// A module lies at [base, base + size_bytes) in a process. Process 0: in the kernel, for all.
struct ImageFact {
  Ticks time = 0;
  std::uint32_t process = 0;
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  std::string path;
};

}  // namespace tailgate::activity
