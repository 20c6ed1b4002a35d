// Records calls for a program that does not record them itself: of each thread where a call began
// and ended, as another observer saw it. One writer; readers of the memory may run meanwhile.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>

#include "harness/calls/call_memory.h"

namespace tailgate {

// A function's entry or return. The points of one thread come in the order of their times.
struct CallPoint {
  std::uint32_t thread = 0;   // the system's id
  std::uint32_t kind = 0;     // below kCallKinds
  std::uint64_t time_ns = 0;  // run clock
  std::uint64_t stack = 0;    // the stack pointer at the function's first instruction, or where it
                              // has returned to
  std::int32_t cpu = -1;
};

// A call within a timed one of the same thread is part of it. A call that never returns (an
// exception, longjmp, the thread's end) stays in flight; the thread's stack pointer tells. A return
// without an entry, as of a child that was forked within a call, is ignored.
// (call_writer_linux.cpp)
class CallWriter {
 public:
  // memory must outlive this object, and nobody else record into it.
  explicit CallWriter(CallMemory& memory);

  void entered(const CallPoint& point);
  void returned(const CallPoint& point);

  // A thread was made; in a process of its own, or in the maker's.
  void made_thread(std::uint32_t maker, std::uint32_t thread, bool in_own_process);
  void ended_thread(std::uint32_t thread);

  // Points were lost, so that nobody knows how the running calls go on: they are not timed.
  void forget_running();
  // Counts records of points that were lost; two of them are a call.
  void count_lost(std::uint64_t records);

 private:
  struct Thread {
    std::uint32_t process = 0;
    tailgate_mark_thread* block = nullptr;
    bool has_no_room = false;
    bool is_running = false;
    CallPoint running = {};
  };

  Thread& thread(std::uint32_t number);
  // Gives the thread memory to record into, as far as there is any.
  bool has_block(Thread& thread, std::uint32_t number);

  tailgate_mark_memory& memory_;
  std::unordered_map<std::uint32_t, Thread> threads_;
  std::set<std::uint32_t> processes_;  // that have timed calls
};

}  // namespace tailgate
