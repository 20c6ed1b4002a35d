#include "harness/trial/written_schedule.h"

#include <catch2/catch.hpp>

#include <cstring>

#include "harness/base/error.h"
#include "harness/trial/schedule.h"
#include "harness/trial/turns.h"

using namespace tailgate;

namespace {

template <class Value>
Value value_at(const SharedMemory& memory, std::size_t at) {
  Value value;
  std::memcpy(&value, memory.data() + at, sizeof value);
  return value;
}

// A list as a program in another language reads it.
std::vector<std::uint64_t> times_of(const WrittenSchedule& schedule, const SharedMemory& memory,
                                    std::size_t list) {
  const auto first = value_at<std::uint64_t>(memory, schedule.first_at() + 8 * list);
  const auto end = value_at<std::uint64_t>(memory, schedule.first_at() + 8 * (list + 1));
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = first; i < end; ++i) {
    times.push_back(value_at<std::uint64_t>(memory, schedule.times_at() + 8 * i));
  }
  return times;
}

TrialPlan plan_of(const LoadPlan& load) {
  TrialPlan plan;
  plan.load = load;
  return plan;
}

}  // namespace

TEST_CASE("a written schedule has the times of the load threads' own, for every shape") {
  LoadPlan load;
  load.shape = GENERATE(Shape::steady, Shape::poisson, Shape::burst, Shape::ramp);
  load.rate_hz = 3000;
  load.end_rate_hz = 500;
  load.burst_events = 10;
  load.burst_gap_s = 0.02;
  load.threads = 3;
  load.warmup_s = 0.1;
  load.duration_s = 0.3;
  const WrittenSchedule written(plan_of(load), EventEncoding::text);
  const SharedMemory memory = written.write();
  REQUIRE(written.lists() == 3);
  for (unsigned thread = 0; thread < load.threads; ++thread) {
    constexpr std::uint64_t kStart = 5'000'000'000;
    Schedule schedule(load, thread, kStart);
    const std::vector<std::uint64_t> times = times_of(written, memory, thread);
    CHECK(times.size() > 50);
    for (const std::uint64_t offset_ns : times) CHECK(kStart + offset_ns == schedule.next_ns());
    CHECK(schedule.next_ns() >= kStart + 400'000'000);  // the first event that is not issued
  }
}

TEST_CASE("a load that ends after a number of events counts those after the warm-up") {
  LoadPlan load;
  load.rate_hz = 1000;
  load.warmup_s = 0.05;
  load.duration_s = 0;
  load.events = 25;
  load.threads = 2;
  const WrittenSchedule written(plan_of(load), EventEncoding::text);
  const SharedMemory memory = written.write();
  CHECK(times_of(written, memory, 0).size() == 25 + 13);
  CHECK(times_of(written, memory, 1).size() == 25 + 12);
}

TEST_CASE("each turn has its own times, and a closed loop none") {
  TrialPlan plan;
  plan.load.shape = Shape::poisson;
  plan.load.rate_hz = 10'000;
  plan.turns = {.count = 4, .warmup = 1, .length_ns = 20'000'000, .max_calls = 1000};
  const WrittenSchedule written(plan, EventEncoding::binary);
  const SharedMemory memory = written.write();
  REQUIRE(written.lists() == 4);
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    Schedule schedule(turn_load(plan.load, plan.turns, turn), 0, 0);
    const std::vector<std::uint64_t> times = times_of(written, memory, turn);
    CHECK(times.size() > 100);
    for (const std::uint64_t offset_ns : times) CHECK(offset_ns == schedule.next_ns());
    CHECK(times.back() < plan.turns.length_ns);
  }
  plan.load.shape = Shape::max;
  const WrittenSchedule closed(plan, EventEncoding::binary);
  CHECK(times_of(closed, closed.write(), 2).empty());
}

TEST_CASE("sizes and the largest event are written") {
  LoadPlan load;
  load.threads = 2;
  load.payload = {PayloadLaw::uniform, 64, 500};
  const WrittenSchedule written(plan_of(load), EventEncoding::text);
  const SharedMemory memory = written.write();
  for (unsigned thread = 0; thread < 2; ++thread) {
    const std::vector<std::uint16_t> sizes = payload_sizes(load, thread, kTextHeaderBytes);
    REQUIRE(written.sizes_each() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); i += 97) {
      CHECK(value_at<std::uint16_t>(memory, written.sizes_at() + 2 * (thread * sizes.size() + i)) ==
            sizes[i]);
    }
  }
  const std::vector<std::byte> event = prepare_event(EventEncoding::text, 500);
  CHECK(std::memcmp(memory.data() + written.event_at(), event.data(), event.size()) == 0);
}

TEST_CASE("a schedule that is too long is refused") {
  LoadPlan load;
  load.rate_hz = 1e8;
  CHECK_THROWS_WITH(WrittenSchedule(plan_of(load), EventEncoding::text),
                    Catch::Contains("over 16777216 events"));
}
