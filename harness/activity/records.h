// What a kernel trace says about who runs where, free of any system's words: an ETW kernel session,
// a Linux ftrace or LTTng kernel trace become these records, and Timeline explains them.
//
// Times are ticks of the trace's own clock; the Timeline is told how many make a second.
#pragma once

#include <cstdint>
#include <string>

namespace tailgate::activity {

using Ticks = std::int64_t;

inline constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

// How a thread that was switched out waits.
enum class Wait : std::uint8_t {
  unknown,
  interruptible,    // for what may never come: data of a socket, a lock, a time
  uninterruptible,  // for what comes soon: storage, a lock in the kernel
  stopped,          // by a signal or a debugger
};

// What a thread waits for, as far as its switch out or the system call in which it blocks tells.
enum class WaitsFor : std::uint8_t {
  unknown,
  lock,
  socket,
  sleep,
  storage,
  io,  // the end of some input or output: storage's where the trace shows such a request
};

// A processor stopped running one thread and runs another. Thread 0 is the idle thread, one a
// processor.
struct ContextSwitch {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t old_thread = 0;
  std::uint32_t new_thread = 0;
  bool old_was_preempted = false;  // it could have run on: it did not block
  Wait old_wait = Wait::unknown;   // where it could not
  WaitsFor old_waits_for = WaitsFor::unknown;
};

// A thread was made runnable by whatever ran on `processor` at that time.
struct ThreadReady {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
  bool by_interrupt = false;  // one that ran there, and not the thread below it
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

// What a routine is called.
struct RoutineFact {
  InterruptKind kind = InterruptKind::hardware;
  std::uint64_t routine = 0;
  std::string name;
};

// A thread entered the kernel for a system call, or left it.
struct SystemCall {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
  std::uint32_t number = 0;
  bool begins = true;
};

struct SystemCallFact {
  std::uint32_t number = 0;
  std::string name;
  WaitsFor waits_for = WaitsFor::unknown;  // when it blocks, as far as the call alone tells
};

// A thread touched memory that was not there. When the fault was dealt with is not recorded.
struct PageFault {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
};

// A request to storage was handed to the device, or is done. Both halves carry device and sector,
// or whatever else names the request (Windows: the address of its packet, as the sector).
struct StorageRequest {
  Ticks time = 0;
  std::uint32_t thread = 0;  // that handed it over
  std::uint64_t device = 0;
  std::uint64_t sector = 0;
  bool begins = true;
  std::string name;  // "254:0 WS", of the first half; "read" from Windows
};

// Records of one processor are missing between two times.
struct RecordsLost {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t processor = 0;
};

// A thread exists. rundown: it did before the trace began, or still does at its end, and this only
// says whose it is; otherwise it was created now, and an earlier one of that id is gone.
struct ThreadFact {
  Ticks time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;  // kUnknown: the trace does not say
  std::string name;           // may be empty
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
