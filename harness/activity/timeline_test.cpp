#include "harness/activity/timeline.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

using namespace tailgate::activity;

namespace {

constexpr std::int64_t kHz = 1'000'000;  // a tick is a microsecond

const ThreadUse& thread(const Timeline& timeline, std::uint32_t id) {
  for (const ThreadUse& use : timeline.threads()) {
    if (use.thread == id) return use;
  }
  throw std::logic_error("no such thread");
}

const RoutineUse routine(const Timeline& timeline, std::uint64_t address) {
  for (const RoutineUse& use : timeline.routines()) {
    if (use.routine == address) return use;
  }
  throw std::logic_error("no such routine");
}

ContextSwitch switched(Ticks time, std::uint32_t processor, std::uint32_t old_thread,
                       std::uint32_t new_thread) {
  return {time, processor, old_thread, new_thread, false};
}

}  // namespace

TEST_CASE("switches charge the thread that is switched out, from the trace's begin to its end") {
  Timeline timeline(kHz, 100);
  timeline.add(switched(150, 0, 8, 12));
  timeline.add(switched(170, 0, 12, 0));
  timeline.add(switched(200, 1, 0, 8));
  timeline.finish(300);
  CHECK(thread(timeline, 8).cpu_ticks == 50 + 100);
  CHECK(thread(timeline, 12).cpu_ticks == 20);
  CHECK(timeline.processors()[0].thread_ticks == 70);
  CHECK(timeline.processors()[0].idle_ticks == 130);
  CHECK(timeline.processors()[1].idle_ticks == 100);
  CHECK(timeline.processors()[1].thread_ticks == 100);
  CHECK(timeline.switches() == 3);
  CHECK(timeline.mismatched_switches() == 0);
  CHECK(timeline.running_thread(0) == 0);
  CHECK(timeline.running_thread(1) == 8);
  CHECK(timeline.running_thread(2) == kUnknown);
}

TEST_CASE("an interrupt's time is subtracted from the thread, a nested one only once") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  // An ISR from 20 to 25 interrupts a deferred routine from 10 to 40.
  timeline.add(Interrupt{20, 25, 0, InterruptKind::hardware, 0x1000});
  timeline.add(Interrupt{10, 40, 0, InterruptKind::deferred, 0x2000});
  timeline.add(switched(100, 0, 8, 0));
  timeline.finish(100);
  CHECK(routine(timeline, 0x1000).cpu_ticks == 5);
  CHECK(routine(timeline, 0x2000).cpu_ticks == 25);
  CHECK(routine(timeline, 0x2000).longest_ticks == 30);
  CHECK(thread(timeline, 8).cpu_ticks == 70);
  CHECK(timeline.processors()[0].interrupt_ticks == 30);
  CHECK(timeline.processors()[0].thread_ticks == 70);
}

TEST_CASE("consecutive interrupts do not nest, and processors are kept apart") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  timeline.add(switched(0, 1, 0, 12));
  timeline.add(Interrupt{10, 15, 0, InterruptKind::hardware, 0x1000});
  timeline.add(Interrupt{10, 16, 1, InterruptKind::hardware, 0x1000});
  timeline.add(Interrupt{20, 25, 0, InterruptKind::hardware, 0x1000});
  timeline.finish(50);
  CHECK(routine(timeline, 0x1000).calls == 3);
  CHECK(routine(timeline, 0x1000).cpu_ticks == 16);
  CHECK(thread(timeline, 8).cpu_ticks == 40);
  CHECK(thread(timeline, 12).cpu_ticks == 44);
}

TEST_CASE("an interrupt that spans a switch is split between the threads") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  timeline.add(switched(100, 0, 8, 12));
  timeline.add(Interrupt{90, 120, 0, InterruptKind::hardware, 0x1000});
  timeline.finish(200);
  CHECK(thread(timeline, 8).cpu_ticks == 90);
  CHECK(thread(timeline, 12).cpu_ticks == 80);
}

TEST_CASE("a threaded deferred routine counts as its thread's time") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  timeline.add(Interrupt{10, 30, 0, InterruptKind::deferred_threaded, 0x3000});
  timeline.finish(50);
  CHECK(thread(timeline, 8).cpu_ticks == 50);
  CHECK(routine(timeline, 0x3000).cpu_ticks == 20);
  CHECK(timeline.processors()[0].interrupt_ticks == 0);
}

TEST_CASE("wake-up latency is from the last ready record to the switch in") {
  Timeline timeline(kHz, 0);
  timeline.add(ThreadReady{5, 1, 8});
  timeline.add(ThreadReady{10, 1, 8});
  timeline.add(switched(30, 0, 0, 8));
  timeline.add(switched(40, 0, 8, 0));
  timeline.add(switched(60, 0, 0, 8));  // no ready record: not a wake-up
  timeline.finish(60);
  CHECK(thread(timeline, 8).wake_ups == 1);
  CHECK(thread(timeline, 8).wake_up_ticks_sum == 20);
  CHECK(thread(timeline, 8).wake_up_ticks_max == 20);
  CHECK(thread(timeline, 8).switches_in == 2);
  CHECK(timeline.wake_up_ns().total_count() == 1);
  CHECK(timeline.wake_up_ns().max() >= 20'000);
  CHECK(timeline.wake_up_ns().min() <= 20'000);
}

TEST_CASE("a thread's process may become known after it ran, and ids are reused") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  timeline.add(switched(10, 0, 8, 0));
  timeline.add(ThreadFact{10, 8, 500, "", true});  // rundown at its end
  timeline.add(ThreadFact{20, 8, 600, "worker", false});
  timeline.add(ProcessFact{20, 500, 4, "old.exe", true});
  timeline.add(ProcessFact{20, 600, 4, "new.exe", false});
  timeline.add(switched(30, 0, 0, 8));
  timeline.finish(37);
  CHECK(timeline.process_of(8) == 600);
  auto ticks = timeline.process_ticks();
  REQUIRE(timeline.processes().size() == 2);
  CHECK(timeline.processes()[0].name == "old.exe");
  CHECK(ticks[0] == 10);
  CHECK(timeline.processes()[1].name == "new.exe");
  CHECK(ticks[1] == 7);
}

TEST_CASE("who_ran finds the thread that ran on a processor at a time") {
  Timeline timeline(kHz, 0);
  timeline.keep_intervals();
  timeline.add(switched(10, 0, 0, 8));
  timeline.add(switched(20, 0, 8, 12));
  timeline.finish(30);
  REQUIRE(timeline.who_ran(0, 15));
  CHECK(timeline.threads()[timeline.who_ran(0, 15)->thread_use].thread == 8);
  CHECK(timeline.threads()[timeline.who_ran(0, 20)->thread_use].thread == 12);
  CHECK(timeline.threads()[timeline.who_ran(0, 0)->thread_use].thread == 0);
  CHECK(timeline.who_ran(0, 30) == nullptr);
  CHECK(timeline.who_ran(1, 15) == nullptr);
}

TEST_CASE("a missing switch is counted, and the next switch determines who ran") {
  Timeline timeline(kHz, 0);
  timeline.add(switched(0, 0, 0, 8));
  timeline.add(switched(50, 0, 12, 16));
  CHECK(timeline.mismatched_switches() == 1);
  CHECK(thread(timeline, 12).cpu_ticks == 50);
  CHECK(thread(timeline, 8).cpu_ticks == 0);
}

// Thread 12 blocks at 10 and the processor goes idle; the thread is woken at 40, but its switch in
// is not recorded.
TEST_CASE("a thread that is seen on an idle processor has run there since it was woken") {
  const auto until_woken = [] {
    Timeline timeline(kHz, 0);
    timeline.watch(12);
    timeline.keep_intervals();
    timeline.add(switched(0, 0, 0, 12));
    timeline.add(switched(10, 0, 12, 0));
    timeline.add(ThreadReady{40, 1, 12});
    return timeline;
  };
  const auto check = [](const Timeline& timeline) {
    CHECK(timeline.mismatched_switches() == 1);
    CHECK(thread(timeline, 12).cpu_ticks == 10 + 20);
    const std::vector<ThreadStretch>& stretches = timeline.history(12)->stretches();
    const ThreadStretch& woken = stretches.at(2);
    CHECK(woken.begin == 40);
    CHECK(woken.state == ThreadState::running);
    CHECK(woken.processor == 0);
  };

  Timeline by_switch = until_woken();
  by_switch.add(switched(60, 0, 12, 0));
  by_switch.finish(100);
  check(by_switch);

  Timeline by_call = until_woken();
  by_call.add(SystemCall{50, 0, 12, 1, true});
  by_call.add(switched(60, 0, 12, 0));
  by_call.finish(100);
  check(by_call);

  // If the processor ran another thread, nothing is inferred.
  Timeline busy = until_woken();
  busy.add(switched(45, 0, 0, 13));
  busy.add(switched(60, 0, 12, 0));
  CHECK(busy.history(12)->stretches().at(2).state == ThreadState::ready);
}

// Thread 12 is seen on a processor that is idle since 20, and was woken before.
TEST_CASE("a thread that was woken before its processor went idle has run since then") {
  const auto check = [](Timeline& timeline, Ticks ran_before) {
    timeline.add(switched(60, 0, 12, 0));
    timeline.finish(100);
    CHECK(timeline.mismatched_switches() == 1);
    CHECK(thread(timeline, 12).cpu_ticks == ran_before + 40);
    const ThreadHistory& history = *timeline.history(12);
    const ThreadStretch& ran = history.stretches().at(history.stretch_at(30));
    CHECK(ran.state == ThreadState::running);
    CHECK(ran.begin == 20);
  };

  Timeline while_another_ran(kHz, 0);
  while_another_ran.watch(12);
  while_another_ran.add(switched(0, 0, 0, 12));
  while_another_ran.add(switched(10, 0, 12, 13));
  while_another_ran.add(ThreadReady{15, 1, 12});
  while_another_ran.add(switched(20, 0, 13, 0));
  check(while_another_ran, 10);

  Timeline on_its_way_into_a_wait(kHz, 0);
  on_its_way_into_a_wait.watch(12);
  on_its_way_into_a_wait.add(switched(0, 0, 0, 12));
  on_its_way_into_a_wait.add(ThreadReady{15, 1, 12});
  on_its_way_into_a_wait.add(switched(20, 0, 12, 0));
  check(on_its_way_into_a_wait, 20);
}

TEST_CASE("addresses are named by module, the process' own modules come first") {
  Timeline timeline(kHz, 0);
  timeline.add(ImageFact{0, 0, 0xFFFFF80000000000, 0x1000, "\\SystemRoot\\system32\\nt.exe"});
  timeline.add(ImageFact{0, 7, 0x400000, 0x2000, "/usr/bin/app"});
  CHECK(timeline.symbol(0, 0xFFFFF80000000123) == "nt.exe+0x123");
  CHECK(timeline.symbol(7, 0x401000) == "app+0x1000");
  CHECK(timeline.symbol(7, 0xFFFFF80000000000) == "nt.exe+0x0");
  CHECK(timeline.symbol(7, 0x402000) == "0x402000");
  CHECK(timeline.symbol(8, 0x400000) == "0x400000");
}

TEST_CASE(
    "damaged times do not overflow, and damaged processor numbers do not determine allocations") {
  constexpr Ticks kMin = std::numeric_limits<Ticks>::min();
  constexpr Ticks kMax = std::numeric_limits<Ticks>::max();
  Timeline timeline(kHz, kMin);
  timeline.add(switched(kMax, 0xFFFFFFFF, 0, 8));
  timeline.add(switched(kMin, 0xFFFFFFFF, 8, 0xFFFFFFFE));
  timeline.add(Interrupt{kMin, kMax, 5, InterruptKind::hardware, 1});
  timeline.add(Interrupt{kMin, kMax, 5, InterruptKind::hardware, 2});
  timeline.add(ThreadReady{kMin + 1, 0, 8});
  timeline.add(switched(kMax, 2, 0, 8));
  timeline.finish(kMax);
  CHECK(timeline.processors().size() <= 4096);
}

TEST_CASE("a tick rate of zero is refused") {
  CHECK_THROWS_AS(Timeline(0, 0), tailgate::Error);
}
