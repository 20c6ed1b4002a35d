// Counts what became of events around switches, for threads whose events are written down here.
#include "harness/trial/switches.h"

#include <catch2/catch.hpp>

#include <set>

namespace tailgate {
namespace {

constexpr std::uint64_t kGapNs = 1'000;  // between a thread's calls; call n begins at n * kGapNs

TrialMemory memory_of(unsigned threads) {
  TrialPlan plan;
  plan.load.threads = threads;
  plan.max_switches = 4;
  plan.range = {.lowest_discernible = 1, .highest_trackable = 1'000'000, .significant_digits = 2};
  return TrialMemory::create(plan);
}

// A switch during one call of each thread, which is in doubt.
void add_switch(const TrialMemory& memory, bool on, std::uint64_t at_call,
                std::uint64_t refused = 0) {
  const std::uint32_t number = memory.header().switches.fetch_add(1);
  SwitchHead& head = memory.switch_head(number);
  head.on = on ? 1 : 0;
  head.begin_ns = at_call * kGapNs;
  head.end_ns = (at_call + 1) * kGapNs;
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    SwitchMark& mark = memory.switch_mark(number, i);
    mark.finished_before = at_call;
    mark.started_after = at_call + 1;
    mark.refused_before = mark.refused_after = refused;
  }
}

void end_load(const TrialMemory& memory, std::uint64_t calls) {
  for (unsigned i = 0; i < memory.plan().load.threads; ++i) {
    memory.thread(i).started = memory.thread(i).finished = calls;
    memory.thread(i).last_end_ns = calls * kGapNs;
  }
}

DeliveredAt all_but(std::set<std::uint64_t> absent) {
  return [absent](unsigned, std::uint64_t sequence) -> std::optional<std::uint64_t> {
    if (absent.contains(sequence)) return std::nullopt;
    return sequence * kGapNs;
  };
}

std::set<std::uint64_t> calls(std::uint64_t first, std::uint64_t last) {
  std::set<std::uint64_t> all;
  for (std::uint64_t i = first; i <= last; ++i) all.insert(i);
  return all;
}

TEST_CASE("a switch that is prompt misses, leaks and loses nothing") {
  const unsigned threads = GENERATE(1u, 3u);
  const TrialMemory memory = memory_of(threads);
  add_switch(memory, false, 100);
  add_switch(memory, true, 200);
  end_load(memory, 300);
  const SwitchRead read = read_switches(memory, all_but(calls(100, 200)));
  CHECK(read.events.off == 99 * threads);
  CHECK(read.events.in_doubt == 2 * threads);
  CHECK(read.not_delivered == 101 * threads);
  CHECK(read.events.missed == 0);
  CHECK(read.events.missed_ns == 0);
  CHECK(read.events.leaked == 0);
  CHECK(read.events.lost_between == 0);
}

TEST_CASE("events that a switch's call may or may not have written are in doubt, not leaked") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100);
  add_switch(memory, true, 200);
  end_load(memory, 300);
  const SwitchRead read = read_switches(memory, all_but(calls(101, 199)));
  CHECK(read.events.in_doubt == 2);
  CHECK(read.events.leaked == 0);
  CHECK(read.not_delivered == 99);
}

TEST_CASE("late enables and disables are counted, the longest one by its time") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100);
  add_switch(memory, true, 200);
  add_switch(memory, false, 300);
  add_switch(memory, true, 400);
  end_load(memory, 500);
  std::set<std::uint64_t> absent = calls(111, 204);  // 101 to 110 leaked, 201 to 204 missed
  absent.merge(calls(303, 420));                     // 301 and 302 leaked, 401 to 420 missed
  const SwitchRead read = read_switches(memory, all_but(absent));
  CHECK(read.events.leaked == 12);
  CHECK(read.events.leaked_most == 10);
  CHECK(read.events.leaked_ns == 9 * kGapNs);  // the switch had returned as call 101 began
  CHECK(read.events.missed == 24);
  CHECK(read.events.missed_most == 20);
  CHECK(read.events.missed_ns == 20 * kGapNs);
  CHECK(read.events.lost_between == 0);
}

TEST_CASE("what is absent after the first event of an enabled time is lost, not missed") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100);
  add_switch(memory, true, 200);
  end_load(memory, 300);
  std::set<std::uint64_t> absent = calls(101, 199);
  absent.insert({5, 250, 251, 299});
  const SwitchRead read = read_switches(memory, all_but(absent));
  CHECK(read.events.lost_between == 4);
  CHECK(read.events.missed == 0);
}

TEST_CASE("an enable after which nothing is recorded misses everything up to the load's end") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100);
  add_switch(memory, true, 200);
  end_load(memory, 300);
  const SwitchRead read = read_switches(memory, all_but(calls(101, 299)));
  CHECK(read.events.missed == 99);
  CHECK(read.events.missed_ns == 99 * kGapNs);
}

TEST_CASE("refusals of a disabled session's calls are told apart from those before and after") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100, 7);
  add_switch(memory, true, 200, 106);
  end_load(memory, 300);
  memory.thread(0).refused[0] = 110;
  const SwitchRead read = read_switches(memory, all_but(calls(101, 199)));
  CHECK(read.refused == 99);
}

TEST_CASE("a call that spans two switches is in doubt once") {
  const TrialMemory memory = memory_of(1);
  add_switch(memory, false, 100);
  add_switch(memory, true, 100);
  end_load(memory, 300);
  const SwitchRead read = read_switches(memory, all_but({100}));
  CHECK(read.events.in_doubt == 1);
  CHECK(read.events.off == 0);
  CHECK(read.not_delivered == 1);
  CHECK(read.events.lost_between == 0);
}

TEST_CASE("without switches nothing is reported") {
  const TrialMemory memory = memory_of(1);
  end_load(memory, 300);
  const SwitchRead read = read_switches(memory, all_but({}));
  CHECK(read.events.off + read.events.in_doubt + read.not_delivered == 0);
  CHECK_FALSE(SwitchWatch(memory).report(std::nullopt));
}

}  // namespace
}  // namespace tailgate
