// The neutral records of a kernel trace. An ETW kernel session or a Linux kernel trace is converted
// to these records, and a Timeline evaluates them.
//
// Times are ticks of the trace's own clock; the Timeline is told the number of ticks per second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/activity/cause.h"

namespace tailgate::activity {

using Ticks = std::int64_t;

inline constexpr std::uint32_t kUnknown = 0xFFFFFFFF;

// How a thread that was switched out waits.
enum class Wait : std::uint8_t {
  unknown,
  interruptible,    // for an event that may never come: socket data, a lock, a timer
  uninterruptible,  // for an event that comes soon: storage, a lock in the kernel
  stopped,          // by a signal or a debugger
};

// What a thread waits for, if the switch record or the system call in which it blocks tells.
enum class WaitsFor : std::uint8_t {
  unknown,
  lock,
  socket,
  sleep,
  storage,
  io,  // some input or output: storage if the trace shows a storage request
};

// A processor switched from one thread to another. Thread 0 is the idle thread of any processor.
struct ContextSwitch {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t old_thread = 0;
  std::uint32_t new_thread = 0;
  bool old_was_preempted = false;  // it was still runnable, it did not block
  Wait old_wait = Wait::unknown;   // how it blocks, if it does
  WaitsFor old_waits_for = WaitsFor::unknown;
  const char* old_reason = nullptr;  // the system's name of the wait's reason; of a constant
};

// A thread was made runnable by whatever ran on `processor` at that time.
struct ThreadReady {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
  bool by_interrupt =
      false;  // an interrupt on that processor woke it, not the thread running there
};

enum class InterruptKind : std::uint8_t {
  hardware,           // ISR, hard IRQ
  deferred,           // DPC, softirq
  deferred_timer,     // timer DPC
  deferred_threaded,  // runs inside a thread and counts as that thread's time
};

// A processor ran an interrupt's routine or a deferred routine from begin to end, on top of the
// current thread. The record is delivered at the routine's end, so a nested routine's record comes
// before that of the routine it interrupted.
struct Interrupt {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t processor = 0;
  InterruptKind kind = InterruptKind::hardware;
  std::uint64_t routine = 0;  // its address, or a number that identifies it
};

// The name of a routine.
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
  WaitsFor waits_for =
      WaitsFor::unknown;  // when it blocks; unknown if the call alone does not tell
};

enum class FaultKind : std::uint8_t {
  unknown,
  transition,  // the page was still in memory
  demand_zero,
  copy_on_write,
  guard_page,
  hard,  // read from storage
};

// Empty: unknown.
inline const char* fault_name(FaultKind kind) {
  constexpr std::array<const char*, 6> kNames = {
      "", "transition", "demand zero", "copy on write", "guard page", "hard"};
  return kNames[static_cast<std::size_t>(kind)];
}

// A thread accessed a page that was not present. The end of the fault is not recorded.
struct PageFault {
  Ticks time = 0;
  std::uint32_t processor = 0;
  std::uint32_t thread = 0;
  FaultKind kind = FaultKind::unknown;
};

// A point in the kernel's code, and the cause of the time of a thread that passes it.
enum class PointMarks : std::uint8_t {
  step,   // its cause holds until the thread's next record
  begin,  // its cause holds until the next end with that cause, but for what is recorded in between
  end,
};

// A thread passed a point in the kernel's code.
struct KernelPoint {
  Ticks time = 0;
  std::uint32_t thread = 0;
  std::uint32_t point = 0;  // number of its KernelPointFact
};

struct KernelPointFact {
  std::uint32_t point = 0;  // small numbers, kWakePoint excepted
  std::string name;
  Cause cause = Cause::unknown;
  PointMarks marks = PointMarks::step;
  // A begin that says what the system call does, better than the call's name: waits within it are
  // named after it.
  bool names_call = false;
};

// The point that a thread passes when it makes another one ready (ThreadReady).
inline constexpr std::uint32_t kWakePoint = 0;
inline constexpr std::uint32_t kMaxPoints = 1024;

// A thread entered a function of the kernel. What it does until the next one is the function's, and
// after its return its caller's: returns are not recorded.
struct KernelFunction {
  Ticks time = 0;
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
};

struct KernelFunctionFact {
  std::uint64_t address = 0;
  std::string name;
};

// The trace lost functions after this time, of any thread. Other records are not concerned.
struct KernelFunctionsLost {
  Ticks time = 0;
};

// A storage request was issued to the device, or completed. Both records carry the device and
// sector, which identify the request (Windows: the address of its packet takes the sector's place).
struct StorageRequest {
  Ticks time = 0;
  std::uint32_t thread = 0;  // the one that it is for, where known; else the one that issued it
  std::uint64_t device = 0;
  std::uint64_t sector = 0;
  bool begins = true;
  std::string name;           // of the first record: "254:0 WS"; from Windows: "read"
  std::uint64_t sectors = 0;  // likewise: of 512 bytes that it writes; 0: none, or not known
  bool flush = false;         // likewise: it makes what any thread wrote before durable
};

// The trace lost records of one processor between begin and end.
struct RecordsLost {
  Ticks begin = 0;
  Ticks end = 0;
  std::uint32_t processor = 0;
};

// A thread exists. rundown: it existed before the trace began or still exists at its end, and this
// record only tells its process and name. Otherwise the thread was created now, and an earlier
// thread with this id has ended.
struct ThreadFact {
  Ticks time = 0;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;  // kUnknown: not in the trace
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

// A module is loaded at [base, base + size_bytes) in a process. Process 0: the kernel, visible to
// all.
struct ImageFact {
  Ticks time = 0;
  std::uint32_t process = 0;
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  std::string path;
};

}  // namespace tailgate::activity
