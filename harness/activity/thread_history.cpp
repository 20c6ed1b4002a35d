#include "harness/activity/thread_history.h"

#include <algorithm>

namespace tailgate::activity {
namespace {

constexpr std::size_t kMaxOpenPoints = 16;

template <class Element>
std::size_t last_at_or_before(const std::vector<Element>& all, Ticks time, Ticks Element::*when) {
  const auto after =
      std::upper_bound(all.begin(), all.end(), time,
                       [when](Ticks wanted, const Element& one) { return wanted < one.*when; });
  if (after == all.begin()) return all.size();
  return static_cast<std::size_t>(after - all.begin()) - 1;
}

}  // namespace

void ThreadHistory::switch_out(const ContextSwitch& record, Ticks begin) {
  if (stretches_.empty()) {
    ThreadStretch& ran = stretches_.emplace_back();
    ran.begin = begin;
    ran.processor = record.processor;
  }
  ThreadStretch& now = stretches_.emplace_back();
  now.begin = record.time;
  now.state = record.old_was_preempted ? ThreadState::ready : ThreadState::blocked;
  now.wait = record.old_wait;
  now.waits_for = record.old_waits_for;
  now.reason = record.old_reason;
}

void ThreadHistory::switch_in(const ContextSwitch& record) {
  ThreadStretch& now = stretches_.emplace_back();
  now.begin = record.time;
  now.processor = record.processor;
}

// A thread that is woken before it was switched out keeps running.
void ThreadHistory::wake(const ThreadReady& record, std::uint32_t waker) {
  if (stretches_.empty() || stretches_.back().state != ThreadState::blocked) return;
  ThreadStretch& now = stretches_.emplace_back();
  now.begin = record.time;
  now.state = ThreadState::ready;
  now.waker = waker;
  now.by_interrupt = record.by_interrupt;
}

void ThreadHistory::run_since(Ticks time, std::uint32_t processor) {
  if (stretches_.empty() || stretches_.back().state == ThreadState::running) return;
  if (stretches_.back().begin < time) stretches_.emplace_back().begin = time;
  stretches_.back().state = ThreadState::running;
  stretches_.back().processor = processor;
}

void ThreadHistory::mark(const SystemCall& record) {
  open_.clear();
  ThreadMark& mark = marks_.emplace_back();
  mark.time = record.time;
  mark.kind = record.begins ? MarkKind::system_call_begin : MarkKind::system_call_end;
  mark.in_system_call = record.begins;
  mark.system_call = record.number;
}

void ThreadHistory::mark(const PageFault& record) {
  const ThreadMark before = marks_.empty() ? ThreadMark() : marks_.back();
  if (!before.in_system_call) open_.clear();
  ThreadMark& mark = marks_.emplace_back();
  mark.time = record.time;
  mark.in_system_call = before.in_system_call;
  mark.system_call = before.system_call;
  mark.fault = record.time;
  mark.fault_kind = record.kind;
  mark.reclaim = open_reclaim();
}

void ThreadHistory::mark(const RecordsLost& record) {
  open_.clear();
  if (marks_.empty()) return;
  ThreadMark mark = marks_.back();
  mark.time = std::max(mark.time, record.end);
  mark.kind = MarkKind::records_lost;
  mark.point = kNoPoint;
  mark.active = kNoPoint;
  mark.woken = kUnknown;
  mark.reclaim = kNoPoint;
  marks_.push_back(mark);
}

// Within a system call, a page fault lasts until the first record after it; outside, the points
// that follow it belong to it.
ThreadMark* ThreadHistory::add_point(Ticks time, std::uint32_t point) {
  if (marks_.empty()) return nullptr;
  ThreadMark mark = marks_.back();
  if (!mark.in_system_call && mark.fault == kNoFault) return nullptr;
  mark.time = time;
  mark.kind = MarkKind::kernel_point;
  if (mark.in_system_call) mark.fault = kNoFault;
  mark.point = point;
  mark.active = point;
  mark.woken = kUnknown;
  return &marks_.emplace_back(mark);
}

// An end closes the innermost begin of its cause; those that began within it and have no end are
// dropped.
void ThreadHistory::mark(const KernelPoint& record, const KernelPointFact& fact) {
  ThreadMark* const mark = add_point(record.time, record.point);
  if (mark == nullptr || fact.marks == PointMarks::step) return;
  if (fact.marks == PointMarks::begin) {
    if (open_.size() == kMaxOpenPoints) open_.clear();
    open_.push_back({record.point, fact.cause});
    mark->reclaim = open_reclaim();
    return;
  }
  const auto begun = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const OpenPoint& one) { return one.cause == fact.cause; });
  if (begun != open_.rend()) open_.erase(std::prev(begun.base()), open_.end());
  mark->active = open_.empty() ? kNoPoint : open_.back().point;
  mark->reclaim = open_reclaim();
}

std::uint32_t ThreadHistory::open_reclaim() const {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [](const OpenPoint& one) { return one.cause == Cause::reclaim; });
  return found == open_.rend() ? kNoPoint : found->point;
}

void ThreadHistory::mark_wake(const ThreadReady& record) {
  ThreadMark* const mark = add_point(record.time, kWakePoint);
  if (mark != nullptr) mark->woken = record.thread;
}

void ThreadHistory::enter(FunctionEntry entry) {
  if (!functions_.empty()) entry.time = std::max(entry.time, functions_.back().time);
  functions_.push_back(entry);
}

std::size_t ThreadHistory::stretch_at(Ticks time) const {
  return last_at_or_before(stretches_, time, &ThreadStretch::begin);
}

std::size_t ThreadHistory::mark_at(Ticks time) const {
  return last_at_or_before(marks_, time, &ThreadMark::time);
}

}  // namespace tailgate::activity
