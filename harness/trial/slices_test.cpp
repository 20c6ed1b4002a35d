#include "harness/trial/slices.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "harness/base/affinity.h"
#include "harness/base/shared_wait.h"

namespace tailgate {
namespace {

const Clock& run_clock() {
  static const Clock clock(calibrate_clock());
  return clock;
}

// A sink that does what the test wants.
class TestProvider : public Provider {
 public:
  explicit TestProvider(std::function<void(std::uint64_t)> call) : call_(std::move(call)) {}
  EmitStatus emit(unsigned, std::span<const std::byte>) noexcept override {
    call_(calls_++);
    return kAccepted;
  }
  std::vector<std::string> refusal_causes() const override { return {}; }
  void close() override {}

 private:
  std::function<void(std::uint64_t)> call_;
  std::uint64_t calls_ = 0;
};

void spin_for(std::uint64_t ns) {
  const std::uint64_t end_ns = run_clock().now_ns() + ns;
  while (run_clock().now_ns() < end_ns) {
  }
}

// Slices with all of the records that they need, in this process.
struct Slices {
  LoadPlan load;
  SlicePlan plan = {.count = 6, .warmup = 1, .length_ns = 5'000'000, .max_calls = 5 * 1000};
  ThreadBlock progress{};
  TurnBlock turn{};
  std::vector<CallRecord> calls = std::vector<CallRecord>(plan.max_calls);
  std::atomic<std::uint32_t> stop{0};

  explicit Slices(double rate_hz) {
    load.rate_hz = rate_hz;
    load.pacing = Pacing::spin;
  }

  void drive(Provider& provider) {
    drive_slices({.plan = load,
                  .thread = 0,
                  .run = 1,
                  .encoding = EventEncoding::binary,
                  .clock = run_clock(),
                  .start_ns = run_clock().now_ns(),
                  .stop = stop},
                 provider,
                 {.plan = plan, .progress = progress, .turn = turn, .calls = calls.data()});
  }

  std::vector<CallRecord> logged() const {
    return {calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(turn.logged.load())};
  }

  std::uint64_t count(CallKind kind) const {
    const std::vector<CallRecord> all = logged();
    return static_cast<std::uint64_t>(std::count_if(
        all.begin(), all.end(), [kind](const CallRecord& call) { return call.kind == kind; }));
  }
};

TEST_CASE("every slice has its events, the warm-up's are not logged") {
  Slices slices(20'000);
  slices.turn.granted = slices.plan.count + 1;
  TestProvider provider([](std::uint64_t) {});
  slices.drive(provider);
  CHECK(slices.turn.done.load() == 6);
  CHECK(slices.progress.finished.load() == 6 * 100);
  const std::vector<CallRecord> calls = slices.logged();
  REQUIRE(calls.size() == 5 * 100);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    REQUIRE(calls[i].slice == i / 100);
    REQUIRE(calls[i].intended_ns <= calls[i].start_ns);
    REQUIRE(calls[i].start_ns <= calls[i].end_ns);
    // To the nanosecond that each time is rounded to.
    if (i % 100 > 0) {
      REQUIRE(calls[i].intended_ns - calls[i - 1].intended_ns == Approx(50'000).margin(1));
    }
  }
}

TEST_CASE("slices of one number have the same schedule, of different numbers different ones") {
  const auto offsets = [](const Slices& slices, std::uint32_t slice) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t first_ns = 0;
    for (const CallRecord& call : slices.logged()) {
      if (call.slice != slice) continue;
      if (offsets.empty()) first_ns = call.intended_ns;
      offsets.push_back((call.intended_ns - first_ns) / 10);  // roundings left out
    }
    return offsets;
  };
  Slices one(20'000);
  Slices other(20'000);
  for (Slices* slices : {&one, &other}) {
    slices->load.shape = Shape::poisson;
    slices->turn.granted = slices->plan.count + 1;
    TestProvider provider([](std::uint64_t) {});
    slices->drive(provider);
  }
  const auto first = offsets(one, 0);
  const auto same = offsets(other, 0);
  REQUIRE(first.size() == same.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    REQUIRE(static_cast<double>(first[i]) == Approx(static_cast<double>(same[i])).margin(1));
  }
  CHECK(offsets(one, 1) != first);
}

TEST_CASE("a thread loads when it is granted a slice, and at no other time") {
  Slices slices(20'000);
  std::atomic<std::uint64_t> calls = 0;
  TestProvider provider([&calls](std::uint64_t) { ++calls; });
  std::thread thread([&] { slices.drive(provider); });
  for (std::uint32_t slice = 0; slice < slices.plan.count; ++slice) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    CHECK(calls.load() == slice * 100);
    slices.turn.granted = slice + 1;
    wake_all(slices.turn.granted);
    while (slices.turn.done.load() == slice) {
      wait_while(slices.turn.done, slice, std::chrono::milliseconds(100));
    }
    CHECK(calls.load() == (slice + 1) * 100);
  }
  slices.turn.granted = slices.plan.count + 1;
  wake_all(slices.turn.granted);
  thread.join();
}

TEST_CASE("a stopped thread ends without its turn") {
  Slices slices(20'000);
  TestProvider provider([](std::uint64_t) {});
  std::thread thread([&] { slices.drive(provider); });
  slices.stop = 1;
  wake_all(slices.turn.granted);
  thread.join();
  CHECK(slices.progress.finished.load() == 0);
}

TEST_CASE("a call that blocks is told from one that is merely slow") {
  Slices slices(1'000);
  slices.turn.granted = slices.plan.count + 1;
  TestProvider provider([](std::uint64_t call) {
    if (call % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (call % 2 == 1) spin_for(100'000);
  });
  slices.drive(provider);
  if (slices.turn.classified.load() == 0) return;  // not on this operating system
  const std::vector<CallRecord> calls = slices.logged();
  REQUIRE(calls.size() == 25);
  int slow_taken_for_blocked = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool blocked = calls[i].kind == CallKind::blocked;
    // The warm-up's five calls are not logged.
    if ((i + 5) % 2 == 0) CHECK(blocked);
    if ((i + 5) % 2 == 1) slow_taken_for_blocked += blocked ? 1 : 0;
  }
  // The system may have had a spinning thread wait for memory.
  CHECK(slow_taken_for_blocked <= 3);
}

TEST_CASE("a call during which another thread took the processor was preempted") {
  const ScopedAffinity restore;
  bind_this_thread({initial_cpus().back()});
  std::atomic<bool> over = false;
  std::thread other([&over] {
    while (!over) {
    }
  });
  std::uint64_t preempted = 0;
  bool classified = true;
  for (int attempt = 0; attempt < 20 && preempted == 0 && classified; ++attempt) {
    Slices slices(1'000);
    slices.turn.granted = slices.plan.count + 1;
    TestProvider provider([](std::uint64_t) { spin_for(900'000); });
    slices.drive(provider);
    preempted = slices.count(CallKind::preempted);
    classified = slices.turn.classified.load() != 0;
    CHECK(slices.count(CallKind::blocked) == 0);
  }
  over = true;
  other.join();
  if (classified) CHECK(preempted > 0);
}

TEST_CASE("a sink that is too slow has events that are never issued") {
  Slices slices(20'000);
  slices.plan.count = 2;
  slices.turn.granted = 3;
  TestProvider provider([](std::uint64_t) { spin_for(5'000'000); });
  slices.drive(provider);
  const std::uint64_t issued = slices.progress.finished.load();
  CHECK(issued < 200);
  CHECK(issued + slices.progress.unissued.load() == 200);
}

TEST_CASE("a closed loop fills each slice's share of the log and no more") {
  Slices slices(0);
  slices.load.shape = Shape::max;
  slices.turn.granted = slices.plan.count + 1;
  TestProvider provider([](std::uint64_t) {});
  slices.drive(provider);
  const std::vector<CallRecord> calls = slices.logged();
  REQUIRE(calls.size() == slices.plan.max_calls);
  CHECK(calls[999].slice == 0);
  CHECK(calls[1000].slice == 1);
  CHECK(calls.back().slice == 4);
}

}  // namespace
}  // namespace tailgate
