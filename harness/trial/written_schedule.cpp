#include "harness/trial/written_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "harness/base/error.h"
#include "harness/trial/schedule.h"
#include "harness/trial/turns.h"

namespace tailgate {

WrittenSchedule::WrittenSchedule(const TrialPlan& plan, EventEncoding encoding)
    : event_(prepare_event(encoding, max_payload_bytes(plan.load, min_event_bytes(encoding)))) {
  const bool in_turns = plan.turns.count > 0;
  const std::uint32_t lists = in_turns ? plan.turns.count : plan.load.threads;
  first_.push_back(0);
  for (std::uint32_t number = 0; number < lists; ++number) {
    if (plan.load.shape != Shape::max && in_turns) add_turn(plan, number);
    if (plan.load.shape != Shape::max && !in_turns) add_thread(plan, number);
    first_.push_back(times_.size());
  }
  for (unsigned thread = 0; thread < plan.load.threads; ++thread) {
    const std::vector<std::uint16_t> sizes =
        payload_sizes(plan.load, thread, min_event_bytes(encoding));
    sizes_each_ = sizes.size();
    sizes_.insert(sizes_.end(), sizes.begin(), sizes.end());
  }
}

void WrittenSchedule::add_time(std::uint64_t offset_ns) {
  if (times_.size() == kMaxWrittenTimes) {
    throw Error(fmt::format("the load has over {} events, the most that a program in another "
                            "language takes",
                            kMaxWrittenTimes),
                "lower rate_hz, duration_s or events, or use a closed loop: the scenario max");
  }
  times_.push_back(offset_ns);
}

// As the load threads do (driver.cpp): until enough events are recorded, or until the time is over.
void WrittenSchedule::add_thread(const TrialPlan& plan, unsigned thread) {
  Schedule schedule(plan.load, thread, 0);
  const LoadLimits limits = load_limits(plan.load, thread, schedule.record_start_ns());
  for (std::uint64_t recorded = 0; recorded < limits.events;) {
    const std::uint64_t offset_ns = schedule.next_ns();
    if (offset_ns >= limits.intended_ns) return;
    add_time(offset_ns);
    recorded += offset_ns >= schedule.record_start_ns() ? 1 : 0;
  }
}

void WrittenSchedule::add_turn(const TrialPlan& plan, std::uint32_t number) {
  Schedule schedule(turn_load(plan.load, plan.turns, number), 0, 0);
  for (std::uint64_t offset_ns = schedule.next_ns(); offset_ns < plan.turns.length_ns;
       offset_ns = schedule.next_ns()) {
    add_time(offset_ns);
  }
}

SharedMemory WrittenSchedule::write() const {
  SharedMemory memory = SharedMemory::create(event_at() + event_.size());
  const auto put = [&](std::size_t at, const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    std::copy(bytes.begin(), bytes.end(), memory.data() + at);
  };
  put(first_at(), first_);
  put(times_at(), times_);
  put(sizes_at(), sizes_);
  put(event_at(), event_);
  return memory;
}

}  // namespace tailgate
