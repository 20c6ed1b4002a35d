#include "harness/calls/call_writer.h"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/os/process.h"

namespace tailgate {
namespace {

// Above the largest number of a thread (kernel: PID_MAX_LIMIT), so that none is alive.
constexpr std::uint32_t kThread = 5'000'000;

CallPoint point(std::uint32_t thread, std::uint64_t time_ns, std::uint64_t stack,
                std::uint32_t kind = 0) {
  return {.thread = thread, .kind = kind, .time_ns = time_ns, .stack = stack, .cpu = 1};
}

struct Written {
  CallMemory memory;
  CallWriter writer;

  explicit Written(std::uint32_t threads = 4)
      : memory({.threads = threads, .slowest = 4, .clock = {}}), writer(memory) {}

  // A function that was entered with stack pointer 1000 returns above that.
  void call(std::uint32_t thread, std::uint64_t begin_ns, std::uint64_t end_ns,
            std::uint32_t kind = 0) {
    writer.entered(point(thread, begin_ns, 1000, kind));
    writer.returned(point(thread, end_ns, 1008, kind));
  }
};

}  // namespace

TEST_CASE("calls are recorded as if their threads had marked them") {
  Written written;
  written.call(kThread, 100, 350, 2);
  written.call(kThread + 1, 200, 1200);
  written.call(kThread, 400, 500);
  const CallCounts counts = written.memory.counts();
  CHECK(counts.started == 3);
  CHECK(counts.finished == 3);
  CHECK(counts.threads == 2);
  CHECK(counts.processes == 2);
  CHECK(counts.kinds[0] == 2);
  CHECK(counts.kinds[2] == 1);
  CHECK(counts.first_start_ns == 100);
  CHECK(counts.last_end_ns == 1200);
  const CallTimes times = written.memory.times();
  CHECK(times.service.total_count() == 3);
  CHECK(times.service.value_at_quantile(0) == 100);
  CHECK(times.service.value_at_quantile(1) == 1000);
  const std::vector<SlowCall> slowest = written.memory.slowest();
  REQUIRE(slowest.size() == 3);
  CHECK(slowest[0].start_ns == 200);
  CHECK(slowest[0].end_ns == 1200);
  CHECK(slowest[0].cpu == 1);
  CHECK(written.memory.threads()[slowest[0].thread] == kThread + 1);
}

TEST_CASE("a call within a call is part of it") {
  Written written;
  written.writer.entered(point(kThread, 100, 1000));
  written.writer.entered(point(kThread, 110, 900));
  written.writer.entered(point(kThread, 120, 800, 1));
  written.writer.returned(point(kThread, 130, 808, 1));
  written.writer.returned(point(kThread, 140, 908));
  written.writer.returned(point(kThread, 200, 1008));
  const CallCounts counts = written.memory.counts();
  CHECK(counts.started == 1);
  CHECK(counts.finished == 1);
  CHECK(counts.inner == 2);
  CHECK(written.memory.times().service.value_at_quantile(1) == 100);
}

TEST_CASE("a function that another one ends with begins and returns where that one does") {
  Written written;
  written.writer.entered(point(kThread, 100, 1000, 0));
  written.writer.entered(point(kThread, 150, 1000, 1));
  written.writer.returned(point(kThread, 200, 1008, 1));
  written.writer.returned(point(kThread, 210, 1008, 0));
  CHECK(written.memory.counts().finished == 1);
  CHECK(written.memory.counts().inner == 1);
  CHECK(written.memory.times().service.value_at_quantile(1) == 110);
}

TEST_CASE("a call that was left by a jump stays in flight, and the next one is timed") {
  Written written;
  written.writer.entered(point(kThread, 100, 1000));
  written.call(kThread, 5000, 5100);
  written.writer.entered(point(kThread, 6000, 900));
  written.call(kThread, 7000, 7100, 1);
  const CallCounts counts = written.memory.counts();
  CHECK(counts.started == 4);
  CHECK(counts.finished == 2);
  CHECK(written.memory.times().service.value_at_quantile(1) == 100);
}

TEST_CASE("a return without an entry is ignored, and so is a thread's end within a call") {
  Written written;
  written.writer.returned(point(kThread, 100, 1008));
  written.writer.entered(point(kThread, 200, 1000));
  written.writer.ended_thread(kThread);
  written.writer.returned(point(kThread, 300, 1008));
  CHECK(written.memory.counts().started == 1);
  CHECK(written.memory.counts().finished == 0);
}

TEST_CASE("threads of one process are one process") {
  Written written;
  written.writer.made_thread(kThread, kThread + 1, false);
  written.writer.made_thread(kThread + 1, kThread + 2, true);
  for (std::uint32_t i = 0; i < 3; ++i) written.call(kThread + i, 100, 200);
  CHECK(written.memory.counts().threads == 3);
  CHECK(written.memory.counts().processes == 2);
}

TEST_CASE("a thread without room is not timed") {
  Written written(1);
  const std::uint32_t alive = this_thread_number();
  written.writer.made_thread(static_cast<std::uint32_t>(getpid()), alive, false);
  written.call(alive, 100, 200);
  written.call(kThread, 100, 200);
  written.call(kThread, 300, 400);
  CallCounts counts = written.memory.counts();
  CHECK(counts.finished == 1);
  CHECK(counts.threads_not_timed == 1);
  CHECK(counts.calls_not_timed == 2);
}

TEST_CASE("the memory of a thread that has ended is for others") {
  Written written(1);
  written.call(kThread, 100, 200);
  written.call(kThread + 1, 300, 400);
  CHECK(written.memory.counts().finished == 2);
  CHECK(written.memory.counts().threads_not_timed == 0);
}

TEST_CASE("after a loss the running calls are not timed") {
  Written written;
  written.writer.entered(point(kThread, 100, 1000));
  written.writer.count_lost(5);
  written.writer.forget_running();
  written.writer.returned(point(kThread, 300, 1008));
  const CallCounts counts = written.memory.counts();
  CHECK(counts.records_lost == 5);
  CHECK(counts.started == 0);
  CHECK(counts.finished == 0);
  CHECK(counts.calls_not_timed == 4);
}

}  // namespace tailgate
