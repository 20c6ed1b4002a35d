// The header records, tailgate reads: the same counts and times, from threads and processes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/calls/call_memory.h"

namespace tailgate {
namespace {

// Marks are of a whole process, so each case marks in a process of its own.
int marked_in_child(const CallMemory& memory, const std::function<void()>& marks) {
  const std::string path = memory.path();
  const pid_t child = fork();
  if (child == 0) {
    setenv(TAILGATE_MARK_VARIABLE, path.c_str(), 1);
    marks();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void mark(int calls, std::uint32_t kind = 0) {
  for (int i = 0; i < calls; ++i) tailgate_mark_end(tailgate_mark_begin(kind));
}

CallMemory memory_for(std::uint32_t threads, std::uint32_t slowest = 4) {
  return CallMemory({.threads = threads, .slowest = slowest, .clock = measure_clock(true)});
}

// All at once: each waits for the next.
void mark_in_three_threads() {
  const auto last = [] { mark(5); };
  const auto second = [last] {
    mark(1);
    std::thread(last).join();
  };
  mark(1);
  std::thread(second).join();
}

// One after another.
void mark_in_twenty_threads() {
  for (int i = 0; i < 20; ++i) std::thread(mark, 10, 0).join();
}

}  // namespace

TEST_CASE("the header's histogram has the slots of HdrHistogram's layout") {
  const HistogramLayout layout(CallMemory::range());
  CHECK(layout.count_slots() == TAILGATE_MARK_HISTOGRAM_SLOTS);
  std::vector<std::uint64_t> words(HistogramWriter::words(layout));
  const auto slot_of = [&](std::uint64_t ns) {
    tailgate_mark_count_(words.data(), ns);
    const auto at = std::find(words.begin(), words.end(), 1u);
    *at = 0;
    return static_cast<std::size_t>(at - words.begin());
  };
  for (std::size_t slot = 0; slot < layout.count_slots(); slot += 37) {
    REQUIRE(slot_of(layout.lowest_equivalent(slot)) == slot);
    REQUIRE(slot_of(layout.highest_equivalent(slot)) == slot);
  }
  CHECK(slot_of(layout.highest_recordable()) == layout.count_slots() - 1);
  CHECK(slot_of(layout.highest_recordable() + 1) == layout.count_slots());
  CHECK(slot_of(~std::uint64_t{0}) == layout.count_slots());
}

TEST_CASE("every mark of every thread counts once") {
  const CallMemory memory = memory_for(8);
  const int ended = marked_in_child(memory, [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([i] { mark(10'000, static_cast<std::uint32_t>(i)); });
    }
    for (std::thread& thread : threads) thread.join();
  });
  REQUIRE(ended == 0);
  const CallCounts counts = memory.counts();
  CHECK(counts.threads == 4);
  CHECK(counts.processes == 1);
  CHECK(counts.started == 40'000);
  CHECK(counts.finished == 40'000);
  CHECK(counts.calls_not_timed == 0);
  for (std::size_t kind = 0; kind < 4; ++kind) CHECK(counts.kinds[kind] == 10'000);
  const CallTimes times = memory.times();
  CHECK(times.service.total_count() == 40'000);
  CHECK(times.response == times.service);
  CHECK(memory.threads().size() == 4);
  CHECK(memory.slowest().size() == 16);
  CHECK(memory.slowest().front().end_ns - memory.slowest().front().start_ns <= times.service.max());
}

TEST_CASE("a planted delay is measured, and the slowest calls are kept") {
  const CallMemory memory = memory_for(1, 3);
  constexpr unsigned kDelaysUs[] = {9'000, 0, 5'000, 0, 7'000, 0, 0, 3'000};
  REQUIRE(marked_in_child(memory, [&] {
            for (const unsigned delay_us : kDelaysUs) {
              const tailgate_mark mark = tailgate_mark_begin(0);
              if (delay_us > 0) usleep(delay_us);
              tailgate_mark_end(mark);
            }
          }) == 0);
  const std::vector<SlowCall> slowest = memory.slowest();
  REQUIRE(slowest.size() == 3);
  CHECK(slowest[0].end_ns - slowest[0].start_ns >= 9'000'000);
  CHECK(slowest[1].end_ns - slowest[1].start_ns >= 7'000'000);
  CHECK(slowest[2].end_ns - slowest[2].start_ns >= 5'000'000);
  // On a busy machine any of them may take longer than it was planted, but not less.
  for (const SlowCall& call : slowest) {
    REQUIRE(call.sequence >= 1);
    REQUIRE(call.sequence <= std::size(kDelaysUs));
    CHECK(call.end_ns - call.start_ns >= kDelaysUs[call.sequence - 1] * 1'000ull);
  }
  const Histogram service = memory.times().service;
  CHECK(service.count_between(3'000'000, ~std::uint64_t{0} >> 1) >= 4);
  CHECK(service.max() >= 9'000'000);
}

TEST_CASE("a call that was due earlier has a longer response time, others the same") {
  const CallMemory memory = memory_for(1);
  REQUIRE(marked_in_child(memory, [] {
            tailgate_mark_end(tailgate_mark_begin_late(0, 50'000'000));
            mark(9);
          }) == 0);
  const CallTimes times = memory.times();
  CHECK(times.with_due == 1);
  CHECK(times.service.total_count() == 10);
  CHECK(times.response.total_count() == 10);
  CHECK(times.response.max() >= 50'000'000);
  CHECK(times.service.max() < 50'000'000);
}

TEST_CASE("a child process records for itself") {
  const CallMemory memory = memory_for(8);
  REQUIRE(marked_in_child(memory, [] {
            mark(100);
            const pid_t child = fork();
            mark(child == 0 ? 1'000 : 10'000);
            if (child == 0) _exit(0);
            waitpid(child, nullptr, 0);
          }) == 0);
  CHECK(memory.counts().finished == 11'100);
  CHECK(memory.counts().processes == 2);
  CHECK(memory.counts().threads == 2);
  CHECK(memory.times().service.total_count() == 11'100);
}

TEST_CASE("threads without room are counted, and those that ended give theirs away") {
  const CallMemory memory = memory_for(2);
  SECTION("at once") {
    REQUIRE(marked_in_child(memory, mark_in_three_threads) == 0);
    CHECK(memory.counts().finished == 2);
    CHECK(memory.counts().calls_not_timed == 5);
    CHECK(memory.counts().threads_not_timed == 1);
  }
  SECTION("one after another") {
    REQUIRE(marked_in_child(memory, mark_in_twenty_threads) == 0);
    CHECK(memory.counts().finished == 200);
    CHECK(memory.counts().calls_not_timed == 0);
  }
}

TEST_CASE("what was recorded before a crash stays") {
  const CallMemory memory = memory_for(1);
  CHECK(marked_in_child(memory, [] {
          mark(123);
          tailgate_mark_begin(0);
          raise(SIGKILL);
        }) == -SIGKILL);
  CHECK(memory.counts().finished == 123);
  CHECK(memory.counts().started == 124);
  CHECK(memory.times().service.total_count() == 123);
}

TEST_CASE("refused calls and higher kinds are counted") {
  const CallMemory memory = memory_for(1);
  REQUIRE(marked_in_child(memory, [] {
            tailgate_mark_end_refused(tailgate_mark_begin(3));
            mark(1, 1'000'000);
          }) == 0);
  CHECK(memory.counts().refused == 1);
  CHECK(memory.counts().finished == 2);
  CHECK(memory.counts().kinds[kCallKinds - 1] == 1);
}

TEST_CASE("a header of another version records nothing and says so") {
  CallMemory memory = memory_for(1);
  reinterpret_cast<tailgate_mark_memory*>(memory.memory().data())->version = 77;
  REQUIRE(marked_in_child(memory, [] { mark(10); }) == 0);
  CHECK(memory.counts().finished == 0);
  CHECK(memory.other_version() == TAILGATE_MARK_VERSION);
}

TEST_CASE("a program that tailgate did not start runs as without marks") {
  const CallMemory memory = memory_for(1);
  const pid_t child = fork();
  if (child == 0) {
    unsetenv(TAILGATE_MARK_VARIABLE);
    mark(10);
    _exit(tailgate_mark_process_.memory == nullptr ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(memory.counts().processes == 0);
}

TEST_CASE("counts that no program can reach make the memory damaged") {
  CallMemory memory = memory_for(1);
  REQUIRE(marked_in_child(memory, [] { mark(1); }) == 0);
  auto* const last =
      reinterpret_cast<std::uint64_t*>(memory.memory().data() + memory.memory().size_bytes());
  for (int word = 1; word < 1'000; ++word) last[-512 * 150 - word] = ~std::uint64_t{0} / 4;
  CHECK_THROWS_WITH(memory.times(), Catch::Contains("has overwritten what it had measured"));
}

}  // namespace tailgate
