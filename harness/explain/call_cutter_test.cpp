#include "harness/explain/call_cutter.h"

#include <catch2/catch.hpp>

#include <random>
#include <string>

#include "harness/base/error.h"
#include "harness/explain/test_story.h"

namespace tailgate::activity {
namespace {

TEST_CASE("own code and system calls are separated") {
  Story story;
  story.enters(1000, 1);
  story.leaves(1600, 1);
  CHECK(story.cut(900, 2000) == "running::100 syscall:write:600 running::400");
}

TEST_CASE("a preempted thread's wait is split by the threads that have its processor") {
  Story story;
  story.preempts(10'000, kLoad, kOther);
  story.switches(13'000, kOther, kThird);
  story.switches(15'000, kThird, kLoad);
  CHECK(story.cut(9'000, 16'000) ==
        "running::1000 waiting:other:3000 waiting:third:2000 running::1000");
  // A call that began while the thread was switched out.
  CHECK(story.cut(12'000, 15'100) == "waiting:other:1000 waiting:third:2000 running::100");
}

TEST_CASE("interrupts are cut out of the time they interrupt, inner ones out of outer ones") {
  Story story;
  Timeline& timeline = story.timeline();
  timeline.add(RoutineFact{InterruptKind::hardware, 5, "disk"});
  timeline.add(RoutineFact{InterruptKind::deferred, 3, "NET_RX"});
  timeline.add(Interrupt{20'000, 20'100, 0, InterruptKind::hardware, 5});
  timeline.add(Interrupt{19'900, 20'500, 0, InterruptKind::deferred, 3});
  timeline.add(Interrupt{19'900, 20'500, 1, InterruptKind::hardware, 5});  // elsewhere
  CHECK(story.cut(19'000, 21'000) ==
        "running::900 softirq:NET_RX:100 interrupt:disk:100 softirq:NET_RX:400 running::500");
  CHECK(story.cut(20'050, 20'450) == "interrupt:disk:50 softirq:NET_RX:350");
}

TEST_CASE(
    "a wait in the kernel during a storage request is storage, named after the requesting thread") {
  Story story;
  story.enters(1000, 3);
  story.timeline().add(StorageRequest{1400, kOther, 9, 100, true, "254:0 WS"});
  story.waits(1500, Wait::uninterruptible);
  story.timeline().add(StorageRequest{4900, 0, 9, 100, false, ""});
  story.wakes(5000, kThird, true);
  story.switches(5200, 0, kLoad);
  story.leaves(5300, 3);
  CHECK(story.cut(900, 6000) ==
        "running::100 syscall:fsync:500 blocked_io:other:3500 waiting:idle:200 syscall:fsync:100 "
        "running::700");
}

TEST_CASE("a wait for a flush is named after the thread that wrote most of what is flushed") {
  Story story;
  const auto request = [&](Ticks begin, Ticks end, std::uint32_t thread, std::uint64_t sector,
                           std::uint64_t sectors) {
    story.timeline().add(StorageRequest{.time = begin,
                                        .thread = thread,
                                        .device = 9,
                                        .sector = sector,
                                        .name = sectors > 0 ? "254:0 WS" : "254:0 FF",
                                        .sectors = sectors,
                                        .flush = sectors == 0});
    story.timeline().add(
        StorageRequest{.time = end, .device = 9, .sector = sector, .begins = false, .name = {}});
  };
  request(100, 200, kThird, 1, 5000);  // the flush after it has brought it to the medium
  request(300, 400, 0, 2, 0);
  request(500, 600, kOther, 3, 64);
  request(500, 700, kOther, 4, 64);
  request(510, 800, kLoad, 5, 100);
  story.enters(1000, 3);
  story.timeline().add(StorageRequest{
      .time = 1400, .thread = 0, .device = 9, .sector = 6, .name = "254:0 FF", .flush = true});
  story.waits(1500, Wait::uninterruptible);
  story.timeline().add(
      StorageRequest{.time = 4900, .device = 9, .sector = 6, .begins = false, .name = {}});
  story.wakes(5000, kThird, true);
  story.switches(5200, 0, kLoad);
  story.leaves(5300, 3);
  CHECK(story.cut(1000, 5300) ==
        "syscall:fsync:500 blocked_io:other:3500 waiting:idle:200 syscall:fsync:100");
}

TEST_CASE(
    "a wait in the kernel without storage is for a lock, named after the thread that released it") {
  Story story;
  story.enters(1000, 1);
  story.waits(1500, Wait::uninterruptible);
  story.wakes(5'001'000, kOther);
  story.switches(5'001'000, 0, kLoad);
  // A request after the wait has nothing to do with it.
  story.timeline().add(StorageRequest{5'002'000, kThird, 9, 100, true, "254:0 R"});
  CHECK(story.cut(1000, 5'001'000) == "syscall:write:500 blocked_lock:other:4999500");
}

TEST_CASE("fsync waits for storage even if no storage request was recorded") {
  Story story;
  story.enters(1000, 3);
  story.waits(1500, Wait::uninterruptible);
  story.wakes(5'001'000, kOther);
  story.switches(5'001'000, 0, kLoad);
  CHECK(story.cut(1000, 5'001'000) == "syscall:fsync:500 blocked_io:other:4999500");
}

TEST_CASE("the system call tells what a thread waits for") {
  const std::uint32_t call = GENERATE(1u, 2u, 4u, 99u);
  Story story;
  story.enters(1000, call);
  story.waits(1500, Wait::interruptible);
  story.wakes(3000, kOther);
  story.switches(3000, 0, kLoad);
  const std::string cause = call == 1   ? "blocked_socket"
                            : call == 2 ? "blocked_lock"
                            : call == 4 ? "blocked_sleep"
                                        : "blocked_other";
  CHECK(story.cut(1500, 3000) == cause + ":other:1500");
}

TEST_CASE("a wait ended by an interrupt names no thread, and a stopped thread is stopped") {
  Story story;
  story.enters(1000, 1);
  story.waits(1500, Wait::interruptible);
  story.wakes(3000, kOther, true);
  story.switches(3000, 0, kLoad);
  story.waits(4000, Wait::stopped);
  story.wakes(9000, kOther);
  story.switches(9000, 0, kLoad);
  CHECK(story.cut(1500, 9000) == "blocked_socket:interrupt:1500 syscall:write:1000 stopped::5000");
}

TEST_CASE("a page fault lasts until the thread's next record, at most 100 us") {
  Story story;
  story.timeline().add(PageFault{100'000, 0, kLoad});
  story.timeline().add(PageFault{100'700, 0, kLoad});
  story.enters(101'000, 1);
  story.leaves(101'100, 1);
  story.timeline().add(PageFault{200'000, 0, kLoad});
  CHECK(story.cut(99'900, 101'050) == "running::100 page_fault::1000 syscall:write:50");
  // The rest is longer than the shortest gap.
  CHECK(story.cut(199'000, 400'000) == "running::1000 page_fault::100000 machine::100000");
}

TEST_CASE("a thread that waits within a page fault continues the fault when it is switched in") {
  Story story;
  story.timeline().add(PageFault{1000, 0, kLoad});
  story.timeline().add(StorageRequest{1100, kLoad, 9, 1, true, "254:0 R"});
  story.waits(1500, Wait::uninterruptible);
  story.timeline().add(StorageRequest{8900, 0, 9, 1, false, ""});
  story.wakes(9000, kOther, true);
  story.switches(9000, 0, kLoad);
  story.enters(9400, 1);
  CHECK(story.cut(900, 9500) ==
        "running::100 page_fault::500 blocked_io:load:7500 page_fault::400 syscall:write:100");
}

TEST_CASE("the wait reason of a switch takes precedence over the system call") {
  const auto cut = [](WaitsFor waits_for, bool request) {
    Story story;
    story.enters(1000, 1);
    if (request) story.timeline().add(StorageRequest{1400, kOther, 9, 100, true, "read"});
    story.waits(1500, Wait::unknown, waits_for);
    if (request) story.timeline().add(StorageRequest{4900, 0, 9, 100, false, ""});
    story.wakes(5000, kThird);
    story.switches(5000, 0, kLoad);
    return story.cut(1000, 5000);
  };
  CHECK(cut(WaitsFor::unknown, false) == "syscall:write:500 blocked_socket:third:3500");
  CHECK(cut(WaitsFor::lock, true) == "syscall:write:500 blocked_lock:third:3500");
  CHECK(cut(WaitsFor::storage, false) == "syscall:write:500 blocked_io:third:3500");
  CHECK(cut(WaitsFor::io, true) == "syscall:write:500 blocked_io:other:3500");
  CHECK(cut(WaitsFor::io, false) == "syscall:write:500 blocked_other:third:3500");
}

TEST_CASE(
    "time without a record beyond the usual is a gap: machine in own code, unknown in the kernel") {
  Story story;
  story.enters(200'000, 1);
  const CallTimes own{
      .thread = kLoad, .intended = 30'000, .start = 30'000, .end = 90'000, .usual = 500};
  CHECK(story.cut(own) == "running::500 machine::59500");
  const CallTimes kernel{
      .thread = kLoad, .intended = 200'000, .start = 200'000, .end = 260'000, .usual = 500};
  CHECK(story.cut(kernel) == "syscall:write:500 unknown:write:59500");
  // A little more than usual is not a gap.
  const CallTimes little{
      .thread = kLoad, .intended = 30'000, .start = 30'000, .end = 40'400, .usual = 500};
  CHECK(story.cut(little) == "running::10400");
  // Without system calls in the trace own code and kernel cannot be told apart.
  CHECK(story.cut(own, {0, 10'000'000, false}) == "running::500 unknown::59500");
}

TEST_CASE(
    "before its start a call is queued while its thread is busy, and waits while its thread "
    "waits") {
  Story story;
  story.preempts(10'000, kLoad, kOther);
  story.switches(13'000, kOther, kLoad);
  const CallTimes call{.thread = kLoad,
                       .intended = 9'000,
                       .start = 15'000,
                       .end = 15'200,
                       .usual = 200,
                       .catch_up = 400};
  CHECK(story.cut(call) == "queued::1000 waiting:other:3000 queued::2000 running::200");
}

TEST_CASE("time that the trace does not cover, or for which it lost records, is untraced") {
  Story story;
  story.timeline().add(RecordsLost{40'000, 41'000, 0});
  story.timeline().add(RecordsLost{40'000, 45'000, 1});  // a processor that the thread did not use
  CHECK(story.cut(39'000, 42'000) == "running::1000 untraced::1000 running::1000");
  CHECK(story.cut(10'000'000 - 300, 10'000'000 + 300) == "running::300 untraced::300");
  CHECK(story.cut({.thread = 99, .intended = 10, .start = 20, .end = 30}) == "untraced::20");
}

// Random calls of one thread, in order; the thread may lag behind its schedule.
std::vector<CallTimes> some_calls(std::mt19937& random) {
  const auto pick = [&](std::uint32_t below) { return static_cast<Ticks>(random() % below); };
  std::vector<CallTimes> calls;
  Ticks intended = 0;
  Ticks free = 0;
  for (int i = 0; i < 20; ++i) {
    intended += pick(2) * pick(30'000);
    const Ticks start = std::max(free, intended);
    free = start + pick(40'000);
    calls.push_back({.thread = kLoad,
                     .processor = static_cast<int>(pick(3)) - 1,
                     .intended = intended,
                     .start = start,
                     .end = free,
                     .usual = pick(2000),
                     .catch_up = pick(2000)});
  }
  return calls;
}

TEST_CASE("for random records, slices add up and are the same for a call cut alone") {
  std::mt19937 random(42);
  const auto pick = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  for (int round = 0; round < 300; ++round) {
    Story story;
    Timeline& timeline = story.timeline();
    story.fact(1, "step", Cause::page_cache);
    story.fact(2, "begin", Cause::reclaim, PointMarks::begin);
    story.fact(3, "end", Cause::reclaim, PointMarks::end);
    story.fact(4, "page", Cause::new_page);
    Ticks now = 0;
    for (int i = 0; i < 200; ++i) {
      now += pick(3) == 0 ? 0 : pick(3000);
      const std::uint32_t processor = pick(2);
      const std::uint32_t threads[] = {0, kLoad, kOther, kThird};
      const std::uint32_t thread = threads[pick(4)];
      switch (pick(9)) {
        case 0:
        case 1:
          timeline.add(ContextSwitch{now, processor, thread, threads[pick(4)], pick(2) == 0,
                                     static_cast<Wait>(pick(4)), static_cast<WaitsFor>(pick(6))});
          break;
        case 2:
          timeline.add(ThreadReady{now, processor, thread, pick(2) == 0});
          break;
        case 3:
          timeline.add(Interrupt{now - pick(2000), now, processor,
                                 static_cast<InterruptKind>(pick(4)), pick(3)});
          break;
        case 4:
          timeline.add(SystemCall{now, processor, kLoad, pick(5), pick(2) == 0});
          break;
        case 5:
          timeline.add(PageFault{now, processor, kLoad});
          break;
        case 6:
          timeline.add(StorageRequest{now, thread, 1, pick(3), pick(2) == 0, "R"});
          break;
        case 7:
          timeline.add(RecordsLost{now - pick(2000), now, processor});
          break;
        case 8:
          story.passes(now, 1 + pick(5));
          break;
      }
    }
    const Coverage coverage{pick(1000), now, pick(2) == 0};
    CallCutter of_all = story.cutter(coverage);
    for (const CallTimes& call : some_calls(random)) {
      CHECK(text_of(of_all.cut(call), call) == story.cut(call, coverage));
    }
  }
}

TEST_CASE("a timeline whose ticks are not nanoseconds is refused") {
  const Timeline timeline(10'000'000, 0);
  CHECK_THROWS_AS(CallCutter(timeline, kAll), Error);
}

}  // namespace
}  // namespace tailgate::activity
