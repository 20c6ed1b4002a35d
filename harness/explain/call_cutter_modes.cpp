// The part of CallCutter that finds what a thread did on its processor, from its own records.
#include <algorithm>
#include <utility>

#include "harness/explain/call_cutter.h"

namespace tailgate::activity {
namespace {

// Time left of the longest page fault that may have started at `fault`, seen from `at`.
Ticks fault_time_left(const ThreadHistory& history, Ticks fault, Ticks at) {
  const std::vector<ThreadStretch>& stretches = history.stretches();
  Ticks left = kMaxFaultNs;
  std::size_t i = history.stretch_at(at);
  for (Ticks end = at; i < stretches.size() && left > 0; --i) {
    if (stretches[i].state == ThreadState::running)
      left -= end - std::max(stretches[i].begin, fault);
    end = stretches[i].begin;
    if (end <= fault) break;
  }
  return std::max<Ticks>(left, 0);
}

void append(std::vector<Slice>& slices, Slice slice, Ticks begin, Ticks end) {
  if (end <= begin) return;
  slice.begin = begin;
  slice.end = end;
  slices.push_back(std::move(slice));
}

}  // namespace

// Splits the piece into own code, system calls, page faults and the steps within them, by the
// thread's marks.
std::vector<Slice> CallCutter::modes(const Piece& piece) const {
  const std::vector<ThreadMark>& marks = piece.history->marks();
  Slices slices;
  std::size_t mark = piece.history->mark_at(piece.begin);
  std::size_t next = mark == marks.size() ? 0 : mark + 1;
  for (Ticks at = piece.begin; at < piece.end; ++next) {
    const Ticks until =
        next < marks.size() ? std::clamp(marks[next].time, at, piece.end) : piece.end;
    const ThreadMark* const last = mark < marks.size() ? &marks[mark] : nullptr;
    if (last != nullptr && last->fault != kNoFault) {
      const Ticks left = fault_time_left(*piece.history, last->fault, at);
      const Ticks over = left < until - at ? at + left : until;
      append(slices, in_fault(*last, next < marks.size() ? &marks[next] : nullptr), at, over);
      at = over;
    }
    append(slices, last == nullptr ? own_code() : after_fault(*last), at, until);
    at = until;
    mark = next;
  }
  return slices;
}

Slice CallCutter::own_code() const {
  Slice slice;
  slice.gap = coverage_.system_calls ? Cause::machine : Cause::unknown;
  return slice;
}

// What the thread does after a mark, if it is in no page fault.
Slice CallCutter::after_fault(const ThreadMark& mark) const {
  if (!mark.in_system_call) return own_code();
  if (mark.active != kNoPoint) return at_point(mark);
  Slice slice;
  slice.cause = Cause::system_call;
  slice.name = timeline_.system_call(mark.system_call).name;
  slice.gap = gap_after(mark);
  if (steps_ != nullptr) slice.usual = steps_->after(mark).usual;
  return slice;
}

// What the thread does in a page fault. Its last step has no known end: own code may have followed.
Slice CallCutter::in_fault(const ThreadMark& mark, const ThreadMark* next) const {
  const bool has_end = next != nullptr && next->kind == MarkKind::kernel_point;
  if (has_end && mark.active != kNoPoint) return at_point(mark);
  Slice slice;
  slice.cause = Cause::page_fault;
  slice.name = fault_name(mark.fault_kind);
  return slice;
}

Slice CallCutter::at_point(const ThreadMark& mark) const {
  const KernelPointFact& fact = timeline_.kernel_point(mark.active);
  Slice slice;
  slice.cause = fact.cause;
  slice.name = fact.name;
  slice.detail = mark.in_system_call ? timeline_.system_call(mark.system_call).name : "page fault";
  if (mark.active == kWakePoint) name_thread(slice, mark.woken);
  // Between a begin and its end the kernel may take as long as it needs.
  if (fact.marks != PointMarks::step && fact.cause != Cause::system_call) return slice;
  // To wake a thread up is little work in any case, and contention of its spinlocks is recorded. In
  // a virtual machine the hypervisor sends the interrupt to the other processor, and may take its
  // time.
  slice.gap = fact.cause == Cause::wake_up ? Cause::kernel_gap : gap_after(mark);
  if (steps_ != nullptr) slice.usual = steps_->after(mark).usual;
  return slice;
}

// What it means that the step after a mark takes far longer than usual without any record.
Cause CallCutter::gap_after(const ThreadMark& mark) const {
  const bool is_short = steps_ != nullptr && steps_->after(mark).is_short;
  return is_short ? Cause::kernel_gap : Cause::unknown;
}

// Whether the kernel may take an rw_semaphore in a step of that cause. From a record of these
// causes to the next one it takes spinlocks alone, whose contention is recorded.
bool CallCutter::may_take_semaphores(Cause cause) {
  switch (cause) {
    case Cause::page_refill:
    case Cause::new_page:
    case Cause::page_cache:
    case Cause::wake_up:
      return false;
    default:
      return true;
  }
}

// Whether the thread may have spun for a lock from begin to end: the kernel spins for an
// rw_semaphore without a record, as long as the thread that holds it runs on another processor
// (kernel: kernel/locking/rwsem.c). So it did not where all other processors were idle meanwhile,
// or ran threads that hold no such lock.
bool CallCutter::may_spin(std::uint32_t thread, Ticks begin, Ticks end) const {
  const ThreadHistory& history = *timeline_.history(thread);
  const std::uint32_t own = history.stretches()[history.stretch_at(begin)].processor;
  std::vector<std::pair<Ticks, Ticks>> busy;
  for (std::uint32_t other = 0; other < timeline_.processors().size(); ++other) {
    if (other == own) continue;
    const std::span<const RunInterval> runs = timeline_.runs(other);
    auto run = std::upper_bound(runs.begin(), runs.end(), begin,
                                [](Ticks wanted, const auto& one) { return wanted < one.end; });
    for (; run != runs.end() && run->begin < end; ++run) {
      const std::uint32_t running = timeline_.threads()[run->thread_use].thread;
      if (running == 0 || timeline_.is_bystander(running)) continue;
      busy.emplace_back(run->begin, run->end);
    }
  }
  std::sort(busy.begin(), busy.end());
  Ticks busy_until = begin;
  for (const auto& [from, until] : busy) {
    if (from > busy_until) return false;
    busy_until = std::max(busy_until, until);
  }
  return busy_until >= end;
}

}  // namespace tailgate::activity
