#include "harness/run/duet/counted_calls.h"

#include <algorithm>

#include "harness/base/error.h"

namespace tailgate {

CountedCalls::Threads CountedCalls::threads() const {
  Threads sum;
  for (unsigned i = 0; i < memory_.plan().load.threads; ++i) {
    const ThreadBlock& thread = memory_.thread(i);
    sum.events += thread.finished.load(std::memory_order_acquire);
    sum.own_calls += thread.own_system_calls.load(std::memory_order_acquire);
  }
  return sum;
}

void CountedCalls::begin(const std::vector<int>& pids) {
  try {
    counter_.emplace(pids);
  } catch (const Error& error) {
    why_not_ = error.what_failed() + "; " + error.remedy();
    return;
  }
  before_ = threads();
}

void CountedCalls::end() {
  if (!counter_) return;
  try {
    const std::uint64_t all = counter_->count();
    const Threads after = threads();
    // The harness's last call of a turn may be counted a turn later.
    calls_ = all - std::min(all, after.own_calls - before_.own_calls);
    events_ = after.events - before_.events;
  } catch (const Error& error) {
    why_not_ = error.what_failed() + "; " + error.remedy();
  }
  counter_.reset();
}

void CountedCalls::report(DuetSide& side) const {
  if (!calls_ || events_ == 0) return;
  side.system_calls = calls_;
  side.system_call_events = events_;
}

}  // namespace tailgate
