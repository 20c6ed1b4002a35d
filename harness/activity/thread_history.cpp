#include "harness/activity/thread_history.h"

#include <algorithm>

namespace tailgate::activity {
namespace {

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

void ThreadHistory::run_since_wake(std::uint32_t processor) {
  if (stretches_.empty() || stretches_.back().state != ThreadState::ready) return;
  stretches_.back().state = ThreadState::running;
  stretches_.back().processor = processor;
}

void ThreadHistory::mark(const SystemCall& record) {
  marks_.push_back({record.time,
                    record.begins ? MarkKind::system_call_begin : MarkKind::system_call_end,
                    record.number, record.begins});
}

void ThreadHistory::mark(const PageFault& record) {
  const ThreadMark before = marks_.empty() ? ThreadMark() : marks_.back();
  marks_.push_back({record.time, MarkKind::page_fault, before.system_call, before.in_system_call});
}

std::size_t ThreadHistory::stretch_at(Ticks time) const {
  return last_at_or_before(stretches_, time, &ThreadStretch::begin);
}

std::size_t ThreadHistory::mark_at(Ticks time) const {
  return last_at_or_before(marks_, time, &ThreadMark::time);
}

}  // namespace tailgate::activity
