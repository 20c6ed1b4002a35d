#include "providers/synthetic/planted_faults.h"

namespace tailgate {

bool strikes(std::uint64_t number, std::uint64_t every) {
  return every != 0 && number % every == 0;
}

FaultPlan fault_plan(const Options& options) {
  const auto every = [&](const char* name) {
    return static_cast<std::uint64_t>(options.integer(name));
  };
  return {.corrupt_every = every("corrupt_every"),
          .duplicate_every = every("duplicate_every"),
          .reorder_every = every("reorder_every")};
}

FaultPlanter::FaultPlanter(const FaultPlan& plan, EventEncoding encoding)
    : plan_(plan), encoding_(encoding) {}

void FaultPlanter::event(std::span<const std::byte> bytes, EventVisitor& to) {
  EventStamp stamp;
  if (check_event(bytes, encoding_, stamp) != EventCheck::intact) return to.event(bytes);
  ThreadState& thread = threads_[stamp.thread];
  const std::uint64_t count = ++thread.events;
  if (strikes(count, plan_.corrupt_every)) {
    scratch_.assign(bytes.begin(), bytes.end());
    scratch_.back() ^= std::byte{1};
    to.event(scratch_);
  } else if (strikes(count, plan_.duplicate_every)) {
    to.event(bytes);
    to.event(bytes);
  } else if (strikes(count, plan_.reorder_every) && thread.held.empty()) {
    thread.held.assign(bytes.begin(), bytes.end());
    return;
  } else {
    to.event(bytes);
  }
  if (!thread.held.empty()) {
    to.event(thread.held);
    thread.held.clear();
  }
}

void FaultPlanter::release_held(EventVisitor& to) {
  for (auto& [number, thread] : threads_) {
    if (!thread.held.empty()) to.event(thread.held);
    thread.held.clear();
  }
}

}  // namespace tailgate
