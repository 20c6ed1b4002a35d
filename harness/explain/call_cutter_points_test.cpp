#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "harness/explain/test_story.h"

namespace tailgate::activity {
namespace {

constexpr std::uint32_t kWrite = 1;

enum Point : std::uint32_t { kRefill = 1, kAdd, kStart, kStop, kReclaim, kReclaimed, kLock, kFree };

// A story in which the points of a kernel are known.
class KernelStory : public Story {
 public:
  KernelStory() {
    using enum PointMarks;
    fact(kRefill, "refill", Cause::page_refill);
    fact(kAdd, "add", Cause::page_cache);
    fact(kStart, "start", Cause::fs_journal, begin);
    fact(kStop, "stop", Cause::fs_journal, end);
    fact(kReclaim, "reclaim", Cause::reclaim, begin);
    fact(kReclaimed, "reclaimed", Cause::reclaim, end);
    fact(kLock, "lock", Cause::lock, begin);
    fact(kFree, "free", Cause::lock, end);
  }

  // Calls of write(2), 2 us apart, that pass a point after 0.1 us; each takes `length`.
  void usual_calls(int calls, Ticks begin, Ticks length, std::uint32_t point) {
    for (int i = 0; i < calls; ++i) {
      const Ticks at = begin + i * 2'000;
      enters(at, kWrite);
      passes(at + 100, point);
      leaves(at + length, kWrite);
    }
  }
};

// A call that started when it was due, where the median call takes 0.6 us.
CallTimes punctual_call(Ticks begin, Ticks end) {
  return {.thread = kLoad, .intended = begin, .start = begin, .end = end, .usual = 600};
}

TEST_CASE("a step has its point's cause until the next record, and records of one point add up") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kRefill);
  story.passes(1700, kRefill);
  story.passes(2300, kAdd);
  story.leaves(2900, kWrite);
  CHECK(story.cut(900, 3000) ==
        "running::100 syscall:write:100 page_refill:refill:1200 page_cache:add:600 running::100");
}

TEST_CASE("between a begin and its end is one cause, but for what is recorded within") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kStart);
  story.passes(1200, kReclaim);
  story.passes(1300, kRefill);
  story.passes(1400, kReclaimed);
  story.passes(1450, kStop);
  story.leaves(1500, kWrite);
  CHECK(story.cut(1000, 1500) ==
        "syscall:write:100 fs_journal:start:100 reclaim:reclaim:100 page_refill:refill:100 "
        "fs_journal:start:50 syscall:write:50");
}

TEST_CASE("an end without its begin ends nothing, and a begin without its end ends with the call") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kStop);
  story.passes(1200, kStart);
  story.passes(1300, kReclaimed);
  story.passes(1400, kReclaim);
  story.passes(1500, kStop);  // also ends the reclaim within
  story.passes(1600, kStart);
  story.leaves(1700, kWrite);
  story.enters(1800, kWrite);
  story.leaves(1900, kWrite);
  CHECK(story.cut(1000, 1900) ==
        "syscall:write:200 fs_journal:start:200 reclaim:reclaim:100 syscall:write:100 "
        "fs_journal:start:100 running::100 syscall:write:100");
}

TEST_CASE("points outside of system calls and page faults, and unknown points, name nothing") {
  KernelStory story;
  story.passes(1000, kAdd);
  story.enters(1100, kWrite);
  story.passes(1200, 77);
  story.timeline().add(KernelPoint{1250, kOther, kAdd});  // another thread
  story.leaves(1300, kWrite);
  CHECK(story.cut(900, 1400) == "running::200 syscall:write:200 running::100");
}

TEST_CASE("interrupts and waits within a step are cut out of it") {
  KernelStory story;
  story.timeline().add(RoutineFact{InterruptKind::hardware, 5, "disk"});
  story.enters(1000, kWrite);
  story.passes(1100, kAdd);
  story.timeline().add(Interrupt{1200, 1300, 0, InterruptKind::hardware, 5});
  story.preempts(1500, kLoad, kOther);
  story.switches(1900, kOther, kLoad);
  story.leaves(2000, kWrite);
  CHECK(story.cut(1000, 2000) ==
        "syscall:write:100 page_cache:add:100 interrupt:disk:100 page_cache:add:200 "
        "waiting:other:400 page_cache:add:100");
}

TEST_CASE("points in a page fault belong to it, and the fault still lasts 100 us at most") {
  KernelStory story;
  story.timeline().add(PageFault{200'000, 0, kLoad});
  story.passes(200'400, kRefill);
  story.passes(200'500, kStart);
  story.passes(200'600, kStop);
  const Coverage all{0, 10'000'000, true};
  CHECK(story.cut(199'900, 310'000, all) ==
        "running::100 page_fault::400 page_refill:refill:100 fs_journal:start:100 "
        "page_fault::99400 running::10000");
}

TEST_CASE("a fault within a system call lasts until the first record after it") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.timeline().add(PageFault{1100, 0, kLoad});
  story.passes(1300, kStart);
  story.passes(1400, kStop);
  story.leaves(1500, kWrite);
  CHECK(story.cut(1000, 1500) ==
        "syscall:write:100 page_fault::200 fs_journal:start:100 syscall:write:100");
}

TEST_CASE("a wake-up far longer than usual is a gap, however few there are") {
  KernelStory story;
  story.timeline().add(ContextSwitch{.time = 500, .processor = 1, .old_thread = kOther});
  story.enters(1000, kWrite);
  story.timeline().add(ThreadReady{1200, 0, kOther, false});
  story.leaves(61'200, kWrite);
  CHECK(story.cut(1000, 61'200) == "syscall:write:200 kernel_gap:other:60000");
}

TEST_CASE("waking another thread is a step that names the thread") {
  KernelStory story;
  story.timeline().add(ContextSwitch{.time = 500, .processor = 1, .old_thread = kOther});
  story.enters(1000, kWrite);
  story.timeline().add(ThreadReady{1200, 0, kOther, false});
  story.leaves(1700, kWrite);
  story.timeline().add(ThreadReady{1800, 0, kOther, false});  // in own code: an exit to it
  story.enters(2000, kWrite);
  story.timeline().add(ThreadReady{2200, 0, kOther, true});  // by an interrupt on top
  story.leaves(2400, kWrite);
  CHECK(story.cut(1000, 2400) ==
        "syscall:write:200 wake_up:other:500 running::300 syscall:write:400");
}

TEST_CASE("a step far longer than usual is a gap if such steps are known to be short") {
  const int calls = GENERATE(5, 50, 200);
  KernelStory story;
  story.usual_calls(calls, 100'000, 600, kRefill);
  story.enters(1'000'000, kWrite);
  story.passes(1'000'100, kRefill);
  story.leaves(1'060'100, kWrite);
  const CallTimes call = punctual_call(1'000'000, 1'060'100);
  if (calls < 10) {  // too few to know what is usual
    CHECK(story.cut(call) == "syscall:write:100 unknown:refill:60000");
    return;
  }
  if (calls < 100) {  // too few to know how rare long ones are
    CHECK(story.cut(call) == "syscall:write:100 page_refill:refill:500 unknown:refill:59500");
    return;
  }
  CHECK(story.cut(call) == "syscall:write:100 page_refill:refill:500 kernel_gap:refill:59500");
  // A little longer than usual is not a gap.
  CallTimes little = call;
  little.end = 1'010'500;
  CHECK(story.cut(little) == "syscall:write:100 page_refill:refill:10400");
}

TEST_CASE(
    "before the first point, a gap is what exceeds the call's usual time, as without points") {
  KernelStory story;
  story.usual_calls(200, 100'000, 600, kRefill);
  story.enters(1'000'000, kWrite);
  story.leaves(1'060'000, kWrite);
  const CallTimes call = punctual_call(1'000'000, 1'060'000);
  CHECK(story.cut(call) == "syscall:write:600 kernel_gap:write:59400");
}

// Every 50th call is interrupted for 12 us.
TEST_CASE("an interrupt makes no step long") {
  KernelStory story;
  for (int i = 0; i < 200; ++i) {
    const Ticks begin = 100'000 + i * 40'000;
    const Ticks more = i % 50 == 0 ? 12'000 : 0;
    story.enters(begin, kWrite);
    if (more > 0) {
      story.timeline().add(
          Interrupt{.begin = begin + 300, .end = begin + 300 + more, .routine = 1});
    }
    story.leaves(begin + 600 + more, kWrite);
  }
  story.enters(9'000'000, kWrite);
  story.leaves(9'060'000, kWrite);
  CHECK(story.cut(punctual_call(9'000'000, 9'060'000)) ==
        "syscall:write:600 kernel_gap:write:59400");
}

TEST_CASE("a gap is unknown if a thread ran elsewhere all the time: it may hold a lock") {
  KernelStory story;
  story.usual_calls(200, 100'000, 600, kRefill);
  Timeline& timeline = story.timeline();
  const auto runs_elsewhere = [&](Ticks begin, Ticks end) {
    timeline.add(ContextSwitch{.time = begin, .processor = 1, .new_thread = kOther});
    timeline.add(ContextSwitch{.time = end, .processor = 1, .old_thread = kOther});
  };
  const Ticks idle = GENERATE(0, 1000);
  story.enters(1'000'000, kWrite);
  runs_elsewhere(1'000'100, 1'030'000);
  runs_elsewhere(1'030'000 + idle, 1'060'000);
  story.leaves(1'060'000, kWrite);
  const CallTimes call = punctual_call(1'000'000, 1'060'000);
  const bool reads_the_trace = GENERATE(false, true);
  if (reads_the_trace) timeline.set_bystander(kOther);
  const std::string cause = idle == 0 && !reads_the_trace ? "unknown" : "kernel_gap";
  CHECK(story.cut(call) == "syscall:write:600 " + cause + ":write:59400");
}

TEST_CASE("a step that takes no semaphore spins for none, whoever ran elsewhere") {
  KernelStory story;
  story.usual_calls(200, 100'000, 600, kRefill);
  story.enters(1'000'000, kWrite);
  story.passes(1'000'100, kRefill);
  story.timeline().add(ContextSwitch{.time = 1'000'100, .processor = 1, .new_thread = kOther});
  story.leaves(1'060'100, kWrite);
  const CallTimes call = punctual_call(1'000'000, 1'060'100);
  CHECK(story.cut(call) == "syscall:write:100 page_refill:refill:500 kernel_gap:refill:59500");
}

TEST_CASE("steps that are often long are no gaps, up to the length that one in a hundred exceeds") {
  KernelStory story;
  for (int i = 0; i < 200; ++i) {
    story.enters(100'000 + i * 40'000, kWrite);
    story.passes(100'100 + i * 40'000, kRefill);
    story.leaves(100'100 + i * 40'000 + (i % 20 == 0 ? 30'000 : 500), kWrite);
  }
  const CallTimes call = punctual_call(100'000, 130'100);
  CHECK(story.cut(call) == "syscall:write:100 page_refill:refill:30000");
  story.enters(9'000'000, kWrite);
  story.passes(9'000'100, kRefill);
  story.leaves(9'070'100, kWrite);
  const CallTimes longer = punctual_call(9'000'000, 9'070'100);
  CHECK(story.cut(longer) == "syscall:write:100 page_refill:refill:30000 unknown:refill:40000");
}

TEST_CASE("a system call that is often long before its first step is no gap up to that length") {
  KernelStory story;
  for (int i = 0; i < 200; ++i) {
    story.enters(100'000 + i * 40'000, kWrite);
    story.leaves(100'000 + i * 40'000 + (i % 20 == 0 ? 30'000 : 500), kWrite);
  }
  const CallTimes call = punctual_call(100'000, 130'000);
  CHECK(story.cut(call) == "syscall:write:30000");
  story.enters(9'000'000, kWrite);
  story.leaves(9'070'000, kWrite);
  const CallTimes longer = punctual_call(9'000'000, 9'070'000);
  CHECK(story.cut(longer) == "syscall:write:30000 unknown:write:40000");
}

// Every tenth call is longer, as if a tick of the machine met it.
TEST_CASE("a step that is long whenever a tick of the machine is due is a gap, others are not") {
  const auto cut_with_tick_at = [](double begin) {
    KernelStory story;
    for (int i = 0; i < 200; ++i) {
      const Ticks more = i % 10 == 0 ? 25'000 : 0;
      story.enters(100'000 + i * 40'000, kWrite);
      story.leaves(100'600 + i * 40'000 + more, kWrite);
    }
    story.timeline().add_machine_tick(
        0, {.period = 400'000, .at = begin, .error = 1'000, .period_error = 1});
    return story.cut(punctual_call(100'000, 125'600));
  };
  CHECK(cut_with_tick_at(100'300) == "syscall:write:600 kernel_gap:write:25000");
  // Far from the long calls: they are the sink's own.
  CHECK(cut_with_tick_at(150'000) == "syscall:write:25600");
}

TEST_CASE("where all calls meet the machine's tick, their length is the usual one") {
  KernelStory story;
  for (int i = 0; i < 200; ++i) {
    story.enters(100'000 + i * 40'000, kWrite);
    story.leaves(125'600 + i * 40'000, kWrite);
  }
  story.timeline().add_machine_tick(0, {.period = 40'000, .at = 100'300, .error = 100});
  CHECK(story.cut(punctual_call(100'000, 125'600)) == "syscall:write:25600");
}

TEST_CASE("the last step of a page fault has no known end, so it is not named") {
  KernelStory story;
  story.timeline().add(PageFault{1'000'000, 0, kLoad});
  story.passes(1'000'100, kRefill);  // its end is known: the next point
  story.passes(1'030'100, kAdd);
  CHECK(story.cut(1'000'000, 1'060'100) ==
        "page_fault::100 unknown:refill:30000 page_fault::30000");
}

TEST_CASE("between a begin and its end nothing is a gap") {
  KernelStory story;
  story.enters(1'000'000, kWrite);
  story.passes(1'000'100, kReclaim);
  story.passes(5'000'100, kReclaimed);
  story.leaves(5'000'200, kWrite);
  CHECK(story.cut(1'000'000, 5'000'200) ==
        "syscall:write:100 reclaim:reclaim:4000000 syscall:write:100");
}

TEST_CASE("after lost records nothing is named until the next record") {
  KernelStory story;
  story.usual_calls(200, 100'000, 600, kRefill);
  story.enters(1'000'000, kWrite);
  story.passes(1'000'100, kStart);
  story.timeline().add(RecordsLost{1'000'200, 1'000'300, 0});
  story.passes(1'030'300, kStop);
  story.passes(1'030'400, kRefill);
  story.leaves(1'030'500, kWrite);
  CHECK(story.cut(1'000'000, 1'030'500) ==
        "syscall:write:100 fs_journal:start:100 untraced::100 unknown:write:30000 "
        "syscall:write:100 page_refill:refill:100");
}

TEST_CASE("before its start a call is queued, but for what the kernel did meanwhile") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kRefill);
  story.leaves(1700, kWrite);
  const CallTimes call{.thread = kLoad,
                       .intended = 1000,
                       .start = 1800,
                       .end = 1900,
                       .usual = 100,
                       .catch_up = 1000};
  CHECK(story.cut(call) == "queued::100 page_refill:refill:600 queued::100 running::100");
}

TEST_CASE("a thread that blocks for a contended lock waits for that lock, whatever storage does") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.timeline().add(StorageRequest{1100, kOther, 9, 100, true, "254:0 WS"});
  story.passes(1200, kLock);
  story.waits(1300, Wait::uninterruptible);
  story.timeline().add(StorageRequest{4900, 0, 9, 100, false, ""});
  story.wakes(5000, kThird);
  story.switches(5100, 0, kLoad);
  story.passes(5200, kFree);
  story.leaves(5300, kWrite);
  CHECK(story.cut(1000, 5300) ==
        "syscall:write:200 lock:lock:100 blocked_lock:third:3700 waiting:idle:100 lock:lock:100 "
        "syscall:write:100");
}

TEST_CASE("a thread that waits while it reclaims memory does so for the memory") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kReclaim);
  story.timeline().add(StorageRequest{1150, kOther, 9, 100, true, "254:0 WS"});
  story.passes(1200, kRefill);
  story.waits(1300, Wait::uninterruptible);
  story.timeline().add(StorageRequest{4900, 0, 9, 100, false, ""});
  story.wakes(5000, kThird);
  story.switches(5100, 0, kLoad);
  story.passes(5200, kReclaimed);
  story.waits(5300, Wait::uninterruptible);
  story.wakes(6000, kThird);
  story.switches(6100, 0, kLoad);
  story.leaves(6200, kWrite);
  CHECK(story.cut(1000, 6200) ==
        "syscall:write:100 reclaim:reclaim:100 page_refill:refill:100 reclaim:reclaim:3700 "
        "waiting:idle:100 page_refill:refill:100 syscall:write:100 blocked_lock:third:700 "
        "waiting:idle:100 syscall:write:100");
}

TEST_CASE("an operation that names its call shares the call's usual time, and names its waits") {
  KernelStory story;
  const auto fact = [&](std::uint32_t point, const char* name, Cause cause, PointMarks marks) {
    KernelPointFact one{point, name, cause, marks};
    one.names_call = marks == PointMarks::begin;
    story.timeline().add(one);
  };
  fact(20, "FileIo/Write", Cause::system_call, PointMarks::begin);
  fact(21, "FileIo/Write", Cause::system_call, PointMarks::end);
  fact(22, "FileIo/Flush", Cause::fs_writeback, PointMarks::begin);
  story.enters(1000, kWrite);
  story.passes(1100, 20);
  story.passes(31'100, 21);
  story.passes(31'200, 20);
  story.waits(31'300, Wait::unknown, WaitsFor::io);
  story.switches(32'000, 0, kLoad);
  story.leaves(32'100, kWrite);
  story.enters(40'000, kWrite);
  story.passes(40'100, 22);
  story.waits(40'200, Wait::unknown, WaitsFor::io);
  story.switches(50'000, 0, kLoad);
  story.leaves(50'100, kWrite);
  const CallTimes call = punctual_call(1000, 31'200);
  CHECK(story.cut(call) ==
        "syscall:write:100 syscall:FileIo/Write:500 unknown:FileIo/Write:29500 syscall:write:100");
  const std::vector<Slice> slices = story.cutter(kAll).cut(
      {.thread = kLoad, .intended = 31'250, .start = 31'250, .end = 50'050, .usual = 600});
  const auto blocked = [&](Cause cause) {
    return std::find_if(slices.begin(), slices.end(),
                        [&](const Slice& one) { return one.cause == cause; });
  };
  REQUIRE(blocked(Cause::blocked_other) != slices.end());
  CHECK(blocked(Cause::blocked_other)->detail == "FileIo/Write");
  REQUIRE(blocked(Cause::blocked_storage) != slices.end());
  CHECK(blocked(Cause::blocked_storage)->detail == "FileIo/Flush");
}

TEST_CASE("soft and hard page faults have their kind's name") {
  Story story;
  story.timeline().add(PageFault{1000, 0, kLoad, FaultKind::demand_zero});
  story.timeline().add(PageFault{1500, 0, kLoad, FaultKind::hard});
  story.waits(1600, Wait::unknown, WaitsFor::storage);
  story.switches(9000, 0, kLoad);
  const std::vector<Slice> slices =
      story.cutter(kAll).cut({.thread = kLoad, .intended = 1000, .start = 1000, .end = 9000});
  REQUIRE(slices.size() == 3);
  CHECK(slices[0].name == "demand zero");
  CHECK(slices[1].name == "hard");
  CHECK(slices[2].detail == "hard page fault");
}

TEST_CASE("a step's detail is the system call or the page fault in which it was") {
  KernelStory story;
  story.enters(1000, kWrite);
  story.passes(1100, kAdd);
  story.leaves(1200, kWrite);
  story.timeline().add(PageFault{1300, 0, kLoad});
  story.passes(1400, kAdd);
  story.passes(1450, kRefill);
  CallCutter cutter = story.cutter(kAll);
  const CallTimes call{.thread = kLoad, .intended = 1100, .start = 1100, .end = 1500};
  const std::vector<Slice> slices = cutter.cut(call);
  REQUIRE(slices.size() == 5);
  CHECK(slices[0].detail == "write");
  CHECK(slices[3].detail == "page fault");
}

}  // namespace
}  // namespace tailgate::activity
