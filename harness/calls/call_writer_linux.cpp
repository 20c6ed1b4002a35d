#include "harness/calls/call_writer.h"

#include <atomic>

namespace tailgate {
namespace {

// Whether a function that was entered with this stack pointer has returned when it is `stack`. On
// x86 a return takes its address from the stack, so that it ends above where the function began.
bool is_return_of(const CallPoint& entry, std::uint64_t stack) {
#if defined(__x86_64__)
  return stack > entry.stack;
#else
  return stack >= entry.stack;
#endif
}

// Whether the function that was entered first can still be running when the other is entered. The
// stack grows downwards; a function that another one ends with (a jump, no call) begins where that
// one did.
bool is_within(const CallPoint& inner, const CallPoint& outer) {
  return inner.stack < outer.stack || (inner.stack == outer.stack && inner.kind != outer.kind);
}

template <class Word>
void add(Word& word, Word count) {
  std::atomic_ref<Word>(word).fetch_add(count, std::memory_order_relaxed);
}

}  // namespace

CallWriter::CallWriter(CallMemory& memory)
    : memory_(*reinterpret_cast<tailgate_mark_memory*>(memory.memory().data())) {}

CallWriter::Thread& CallWriter::thread(std::uint32_t number) {
  Thread& thread = threads_[number];
  if (thread.process == 0) thread.process = number;
  return thread;
}

bool CallWriter::has_block(Thread& thread, std::uint32_t number) {
  // A thread that ended in the meantime has lost its block to another one.
  if (thread.block != nullptr && thread.block->os_thread == number) return true;
  thread.block = nullptr;
  if (thread.has_no_room) return false;
  thread.block = tailgate_mark_take_(&memory_, number, thread.process);
  if (thread.block == nullptr) {
    thread.has_no_room = true;
    add(memory_.threads_not_timed, 1u);
    return false;
  }
  tailgate_mark_fill_heap_(&memory_, thread.block);
  if (processes_.insert(thread.process).second) add(memory_.processes, 1u);
  return true;
}

void CallWriter::entered(const CallPoint& point) {
  Thread& thread = this->thread(point.thread);
  if (thread.is_running && is_within(point, thread.running)) {
    if (thread.block != nullptr) tailgate_mark_increment_(&thread.block->inner);
    return;
  }
  thread.is_running = true;
  thread.running = point;
  if (has_block(thread, point.thread)) {
    tailgate_mark_increment_(&thread.block->started);
  } else {
    add(memory_.calls_not_timed, std::uint64_t{1});
  }
}

void CallWriter::returned(const CallPoint& point) {
  Thread& thread = this->thread(point.thread);
  const CallPoint& entry = thread.running;
  if (!thread.is_running || point.kind != entry.kind || !is_return_of(entry, point.stack)) return;
  thread.is_running = false;
  tailgate_mark_thread* const block = thread.block;
  if (block == nullptr) return;
  const std::uint64_t service_ns =
      point.time_ns > entry.time_ns ? point.time_ns - entry.time_ns : 0;
  const tailgate_mark mark{.start_ticks = 0, .late_ns = 0, .kind = entry.kind, .has_due = 0};
  tailgate_mark_record_(&memory_, block, mark, 0, service_ns, point.time_ns);
  if (service_ns > block->least_kept_ns) {
    tailgate_mark_keep_(&memory_, block, 0, service_ns, point.time_ns, point.cpu);
  }
}

void CallWriter::made_thread(std::uint32_t maker, std::uint32_t thread, bool in_own_process) {
  const std::uint32_t process = in_own_process ? thread : this->thread(maker).process;
  // An earlier thread of that number has ended.
  threads_[thread] = {.process = process};
}

void CallWriter::ended_thread(std::uint32_t thread) {
  threads_.erase(thread);
}

void CallWriter::forget_running() {
  for (auto& [number, thread] : threads_) {
    if (!thread.is_running) continue;
    thread.is_running = false;
    if (thread.block == nullptr) continue;
    std::atomic_ref(thread.block->started).fetch_sub(1, std::memory_order_relaxed);
    add(memory_.calls_not_timed, std::uint64_t{1});
  }
}

void CallWriter::count_lost(std::uint64_t records) {
  add(memory_.records_lost, records);
  add(memory_.calls_not_timed, (records + 1) / 2);
}

}  // namespace tailgate
