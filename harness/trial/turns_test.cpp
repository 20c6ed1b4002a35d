#include "harness/trial/turns.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/os/shared_wait.h"
#include "harness/overhead/sampler.h"

namespace tailgate {
namespace {

const Clock& run_clock() {
  static const Clock clock(measure_clock());
  return clock;
}

// A sink whose calls do what the test tells.
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

// A load in turns with all its data, in this process.
struct Turns {
  LoadPlan load;
  TurnPlan plan = {.count = 6, .warmup = 1, .length_ns = 5'000'000, .max_calls = 5 * 1000};
  ThreadBlock progress{};
  TurnBlock turn{};
  CallLogHead log{};
  std::vector<CallRecord> calls = std::vector<CallRecord>(plan.max_calls);
  std::atomic<std::uint32_t> stop{0};

  explicit Turns(double rate_hz) {
    load.rate_hz = rate_hz;
    load.pacing = Pacing::spin;
  }

  void drive(Provider& provider) {
    drive_turns(
        {.plan = load,
         .thread = 0,
         .run = 1,
         .encoding = EventEncoding::binary,
         .clock = run_clock(),
         .start_ns = run_clock().now_ns(),
         .stop = stop},
        provider,
        {.plan = plan, .progress = progress, .turn = turn, .log = log, .calls = calls.data()});
  }

  std::vector<CallRecord> logged() const {
    return {calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(log.logged.load())};
  }

  std::uint64_t count(CallKind kind) const {
    const std::vector<CallRecord> all = logged();
    return static_cast<std::uint64_t>(std::count_if(
        all.begin(), all.end(), [kind](const CallRecord& call) { return call.kind == kind; }));
  }
};

TEST_CASE("every turn emits its events, and those of the warm-up are not logged") {
  Turns turns(20'000);
  turns.turn.granted = turns.plan.count + 1;
  TestProvider provider([](std::uint64_t) {});
  turns.drive(provider);
  CHECK(turns.turn.done.load() == 6);
  CHECK(turns.progress.finished.load() == 6 * 100);
  const std::vector<CallRecord> calls = turns.logged();
  REQUIRE(calls.size() == 5 * 100);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    REQUIRE(calls[i].turn == i / 100);
    REQUIRE(calls[i].intended_ns <= calls[i].start_ns);
    REQUIRE(calls[i].start_ns <= calls[i].end_ns);
    // Exact but for rounding to nanoseconds.
    if (i % 100 > 0) {
      REQUIRE(calls[i].intended_ns - calls[i - 1].intended_ns == Approx(50'000).margin(1));
    }
  }
}

TEST_CASE("turns with the same number have the same schedule, others have different ones") {
  const auto offsets = [](const Turns& turns, std::uint32_t number) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t first_ns = 0;
    for (const CallRecord& call : turns.logged()) {
      if (call.turn != number) continue;
      if (offsets.empty()) first_ns = call.intended_ns;
      offsets.push_back((call.intended_ns - first_ns) / 10);  // without rounding errors
    }
    return offsets;
  };
  Turns one(20'000);
  Turns other(20'000);
  for (Turns* turns : {&one, &other}) {
    turns->load.shape = Shape::poisson;
    turns->turn.granted = turns->plan.count + 1;
    TestProvider provider([](std::uint64_t) {});
    turns->drive(provider);
  }
  const auto first = offsets(one, 0);
  const auto same = offsets(other, 0);
  REQUIRE(first.size() == same.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    REQUIRE(static_cast<double>(first[i]) == Approx(static_cast<double>(same[i])).margin(1));
  }
  CHECK(offsets(one, 1) != first);
}

TEST_CASE("a thread emits only during turns that were granted") {
  Turns turns(20'000);
  std::atomic<std::uint64_t> calls = 0;
  TestProvider provider([&calls](std::uint64_t) { ++calls; });
  std::thread thread([&] { turns.drive(provider); });
  for (std::uint32_t number = 0; number < turns.plan.count; ++number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    CHECK(calls.load() == number * 100);
    turns.turn.granted = number + 1;
    wake_all(turns.turn.granted);
    while (turns.turn.done.load() == number) {
      wait_while(turns.turn.done, number, std::chrono::milliseconds(100));
    }
    CHECK(calls.load() == (number + 1) * 100);
  }
  turns.turn.granted = turns.plan.count + 1;
  wake_all(turns.turn.granted);
  thread.join();
}

TEST_CASE("a probe is one call between turns, which is not logged, and counts if it stalls") {
  Turns turns(20'000);
  turns.plan.count = 2;
  TestProvider provider([](std::uint64_t call) {
    // The probes are calls 100 and 101, between the turns of 100 calls.
    if (call == 101) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  std::thread thread([&] { turns.drive(provider); });
  std::uint32_t granted = 0;
  for (const Grant grant : {Grant::turn, Grant::probe, Grant::probe, Grant::turn}) {
    turns.turn.grant = grant;
    turns.turn.granted = ++granted;
    wake_all(turns.turn.granted);
    while (turns.turn.done.load() != granted) std::this_thread::yield();
  }
  turns.turn.grant = Grant::end;
  turns.turn.granted = ++granted;
  wake_all(turns.turn.granted);
  thread.join();
  CHECK(turns.progress.finished.load() == 100 + 2 + 100);
  CHECK(turns.turn.probes.load() == 2);
  // The first may have been switched out and blocked, for memory.
  CHECK(turns.turn.probe_stalls.load() >= 1);
  CHECK(turns.turn.probe_stalled_ns.load() >= 5'000'000);
  const std::vector<CallRecord> calls = turns.logged();
  REQUIRE(calls.size() == 100);
  CHECK(calls.front().turn == 0);
  CHECK(calls.back().turn == 0);
}

TEST_CASE("a stopped thread ends without waiting for its turn") {
  Turns turns(20'000);
  TestProvider provider([](std::uint64_t) {});
  std::thread thread([&] { turns.drive(provider); });
  turns.stop = 1;
  wake_all(turns.turn.granted);
  thread.join();
  CHECK(turns.progress.finished.load() == 0);
}

TEST_CASE("a call that blocks is distinguished from one that is only slow") {
  Turns turns(1'000);
  turns.turn.granted = turns.plan.count + 1;
  TestProvider provider([](std::uint64_t call) {
    if (call % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (call % 2 == 1) spin_for(100'000);
  });
  turns.drive(provider);
  if (turns.turn.classified.load() == 0) return;  // this operating system does not tell
  const std::vector<CallRecord> calls = turns.logged();
  REQUIRE(calls.size() == 25);
  int slow_taken_for_blocked = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool blocked = calls[i].kind == CallKind::blocked;
    // The warm-up's five calls are not logged.
    if ((i + 5) % 2 == 0) CHECK(blocked);
    if ((i + 5) % 2 == 1) slow_taken_for_blocked += blocked ? 1 : 0;
  }
  // The system may have made a spinning thread wait for memory.
  CHECK(slow_taken_for_blocked <= 3);
}

// Binds the calling thread, until the end of the scope, to a processor that another thread never
// leaves.
class BusyNeighbour : ScopedAffinity {
 public:
  BusyNeighbour() {
    bind_this_thread({initial_cpus().back()});
    thread_ = std::thread([this] {
      while (!over_) {
      }
    });
  }
  ~BusyNeighbour() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST_CASE("a call during which another thread took the processor was preempted") {
  const BusyNeighbour neighbour;
  std::uint64_t preempted = 0;
  bool classified = true;
  for (int attempt = 0; attempt < 20 && preempted == 0 && classified; ++attempt) {
    Turns turns(1'000);
    turns.turn.granted = turns.plan.count + 1;
    TestProvider provider([](std::uint64_t) { spin_for(900'000); });
    turns.drive(provider);
    preempted = turns.count(CallKind::preempted);
    classified = turns.turn.classified.load() != 0;
    CHECK(turns.count(CallKind::blocked) == 0);
  }
  if (classified) CHECK(preempted > 0);
}

TEST_CASE("of a preempted call the time in which the thread ran is known") {
  const BusyNeighbour neighbour;
  std::uint64_t preempted = 0;
  bool classified = true;
  for (int attempt = 0; attempt < 20 && preempted == 0 && classified; ++attempt) {
    Turns turns(1'000);
    turns.turn.granted = turns.plan.count + 1;
    TestProvider provider([](std::uint64_t) {
      const std::uint64_t end_ns = thread_cpu_ns() + 300'000;
      while (thread_cpu_ns() < end_ns) {
      }
    });
    turns.drive(provider);
    classified = turns.turn.classified.load() != 0;
    for (const CallRecord& call : turns.logged()) {
      if (call.kind != CallKind::preempted) continue;
      ++preempted;
      CHECK(call.ran_us >= 290);
      CHECK(call.ran_us * 1000u < call.end_ns - call.start_ns);
    }
  }
  if (classified) CHECK(preempted > 0);
}

TEST_CASE("a call that works for milliseconds stalls by itself, though it is preempted") {
  const BusyNeighbour neighbour;
  Turns turns(100);
  turns.plan.length_ns = 20'000'000;
  turns.turn.granted = turns.plan.count + 1;
  TestProvider provider([](std::uint64_t) {
    const std::uint64_t end_ns = thread_cpu_ns() + 20'000'000;
    while (thread_cpu_ns() < end_ns) {
    }
  });
  turns.drive(provider);
  CHECK(turns.log.logged.load() > 0);
  CHECK(turns.count(CallKind::preempted) == 0);
}

TEST_CASE("a sink that is too slow has events that are never issued") {
  Turns turns(20'000);
  turns.plan.count = 2;
  turns.turn.granted = 3;
  TestProvider provider([](std::uint64_t) { spin_for(5'000'000); });
  turns.drive(provider);
  const std::uint64_t issued = turns.progress.finished.load();
  CHECK(issued < 200);
  CHECK(issued + turns.progress.unissued.load() == 200);
}

TEST_CASE("a closed loop fills each turn's share of the log and no more") {
  Turns turns(0);
  turns.load.shape = Shape::max;
  // Other processes may take most of a short turn.
  turns.plan.length_ns = 200'000'000;
  turns.turn.granted = turns.plan.count + 1;
  TestProvider provider([](std::uint64_t) {});
  turns.drive(provider);
  const std::vector<CallRecord> calls = turns.logged();
  REQUIRE(calls.size() == turns.plan.max_calls);
  CHECK(calls[999].turn == 0);
  CHECK(calls[1000].turn == 1);
  CHECK(calls.back().turn == 4);
}

// The load threads of one side, which share the turns.
struct Team {
  Turns turns;  // of the first thread; the others have its plan and turn block
  std::vector<std::unique_ptr<Turns>> others;
  std::vector<std::thread> threads;

  Team(double rate_hz, unsigned count) : turns(rate_hz) {
    turns.load.threads = count;
    turns.load.pacing = Pacing::hybrid;  // there may be fewer processors
    for (unsigned i = 1; i < count; ++i) others.push_back(std::make_unique<Turns>(rate_hz));
  }

  Turns& member(unsigned number) { return number == 0 ? turns : *others[number - 1]; }

  void start(Provider& provider) {
    for (unsigned i = 0; i < turns.load.threads; ++i) {
      threads.emplace_back([this, &provider, i] {
        Turns& own = member(i);
        drive_turns({.plan = turns.load,
                     .thread = i,
                     .run = 1,
                     .encoding = EventEncoding::binary,
                     .clock = run_clock(),
                     .start_ns = run_clock().now_ns(),
                     .stop = turns.stop},
                    provider,
                    {.plan = turns.plan,
                     .progress = own.progress,
                     .turn = turns.turn,
                     .log = own.log,
                     .calls = own.calls.data()});
      });
    }
  }

  void carry_out(Grant grant) {
    const std::uint32_t done = turns.turn.done.load();
    turns.turn.grant = grant;
    turns.turn.granted = done + 1;
    wake_all(turns.turn.granted);
    if (grant == Grant::end) return;
    while (turns.turn.done.load() == done) std::this_thread::yield();
  }

  void end() {
    carry_out(Grant::end);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_CASE("several threads begin each turn together, and it is done when all are") {
  Team team(30'000, 3);
  std::atomic<std::uint64_t> calls = 0;
  class Counting : public TestProvider {
   public:
    explicit Counting(std::atomic<std::uint64_t>& calls)
        : TestProvider([](std::uint64_t) {}), calls_(calls) {}
    EmitStatus emit(unsigned, std::span<const std::byte>) noexcept override {
      ++calls_;
      return kAccepted;
    }

   private:
    std::atomic<std::uint64_t>& calls_;
  } provider(calls);
  team.start(provider);
  // A turn of 5 ms has 50 events of each thread.
  for (unsigned turn = 1; turn <= team.turns.plan.count; ++turn) {
    team.carry_out(Grant::turn);
    CHECK(calls.load() == turn * 150);
  }
  team.carry_out(Grant::probe);
  CHECK(calls.load() == team.turns.plan.count * 150 + 3);
  CHECK(team.turns.turn.probes.load() == 3);
  team.end();
  // The intended times of the threads interleave: 33 us apart.
  for (unsigned number = 0; number < 3; ++number) {
    const std::vector<CallRecord> of_thread = team.member(number).logged();
    REQUIRE(of_thread.size() == 5 * 50);
    for (std::size_t i = 0; i < of_thread.size(); ++i) {
      const CallRecord& first = team.turns.calls[i];
      REQUIRE(of_thread[i].turn == i / 50);
      REQUIRE(of_thread[i].intended_ns - first.intended_ns == Approx(number * 33'333).margin(1));
    }
  }
}

TEST_CASE("threads that are stopped do not wait for those that never woke up") {
  Team team(30'000, 3);
  team.turns.turn.awake = 1'000;  // as if others never came: no thread is the last one
  TestProvider provider([](std::uint64_t) {});
  team.start(provider);
  team.turns.turn.granted = 1;
  wake_all(team.turns.turn.granted);
  while (team.turns.turn.awake.load() < 1'003) std::this_thread::yield();
  team.turns.stop = 1;
  for (std::thread& thread : team.threads) thread.join();
  CHECK(team.turns.progress.finished.load() == 0);
}

}  // namespace
}  // namespace tailgate
