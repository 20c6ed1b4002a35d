#include "harness/exec/uprobe_records.h"

#include <catch2/catch.hpp>
#include <limits>

#include "harness/base/error.h"
#include "harness/exec/testing/uprobe_pages.h"

namespace tailgate {
namespace {

// Above the largest number of a thread, so that none is alive. The clock's ticks are nanoseconds.
constexpr std::uint32_t kThread = 5'000'000;
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

struct Recorded {
  CallMemory memory{{.threads = 4, .slowest = 4, .clock = {}}};
  CallWriter writer{memory};
  UprobeRecords records{{}, Clock(ClockParameters{}), writer};

  Recorded() { add_test_events(records); }

  std::uint64_t longest_ns() const { return memory.times().service.value_at_quantile(1); }
};

}  // namespace

TEST_CASE("a call that changes its processor is one call") {
  Recorded recorded;
  UprobePage first(1000);
  first.entry(1000, kThread);
  first.returned(1900, kThread);
  UprobePage second(1100);
  second.returned(1200, kThread);
  second.entry(1500, kThread);
  recorded.records.add_page(0, first.page());
  recorded.records.add_page(1, second.page());
  recorded.records.pair_until(kAll);
  const CallCounts counts = recorded.memory.counts();
  CHECK(counts.finished == 2);
  CHECK(recorded.memory.times().service.value_at_quantile(0) == 200);
  CHECK(recorded.longest_ns() == 400);
  CHECK(recorded.memory.slowest().front().cpu == 0);
}

TEST_CASE("what is younger than the drain waits for what other processors still have") {
  Recorded recorded;
  UprobePage first(1000);
  first.entry(1000, kThread);
  first.returned(1900, kThread);
  recorded.records.add_page(0, first.page());
  recorded.records.pair_until(1100);
  CHECK(recorded.memory.counts().started == 1);
  CHECK(recorded.memory.counts().finished == 0);
  UprobePage second(1200);
  second.returned(1200, kThread);
  second.entry(1500, kThread);
  recorded.records.add_page(1, second.page());
  recorded.records.pair_until(2000);
  CHECK(recorded.memory.counts().finished == 2);
  CHECK(recorded.longest_ns() == 400);
}

TEST_CASE("an entry and a return around lost records are no call") {
  Recorded recorded;
  UprobePage before(1000);
  before.entry(1000, kThread);
  before.returned(1100, kThread);
  before.entry(1200, kThread);
  UprobePage elsewhere(1300);
  elsewhere.returned(1500, kThread);
  elsewhere.entry(1600, kThread + 1);
  elsewhere.returned(2500, kThread + 1);
  UprobePage after(2000);
  after.returned(2000, kThread);
  after.entry(2100, kThread);
  after.returned(2400, kThread);
  recorded.records.add_page(0, before.page());
  recorded.records.add_page(1, elsewhere.page());
  recorded.records.add_page(0, after.page(7));
  recorded.records.pair_until(kAll);
  const CallCounts counts = recorded.memory.counts();
  CHECK(counts.finished == 2);
  CHECK(counts.started == 2);
  CHECK(counts.records_lost == 7);
  CHECK(recorded.longest_ns() == 300);
  // The two that were running, and half of the seven.
  CHECK(counts.calls_not_timed == 6);
}

TEST_CASE("records that are cut off are lost") {
  Recorded recorded;
  UprobePage page(1000);
  page.entry(1000, kThread);
  std::vector<std::byte> bytes = page.page();
  bytes.resize(30);
  recorded.records.add_page(0, bytes);
  recorded.records.pair_until(kAll);
  CHECK(recorded.memory.counts().records_lost == 1);
  CHECK(recorded.memory.counts().finished == 0);
}

TEST_CASE("a thread belongs to its maker's process, unless it was made as a process") {
  Recorded recorded;
  UprobePage page(1000);
  page.made(1000, kThread, kThread + 1, false);
  page.made(1001, kThread, kThread + 2, true);
  for (std::uint32_t i = 0; i < 3; ++i) {
    page.entry(1100 + 100 * i, kThread + i);
    page.returned(1150 + 100 * i, kThread + i);
  }
  page.entry(2000, kThread + 1);
  page.ended(2100, kThread + 1);
  page.made(2200, kThread, kThread + 1, false);
  page.returned(2300, kThread + 1);
  recorded.records.add_page(0, page.page());
  recorded.records.pair_until(kAll);
  const CallCounts counts = recorded.memory.counts();
  CHECK(counts.processes == 2);
  CHECK(counts.started == 4);
  CHECK(counts.finished == 3);
}

TEST_CASE("an event without the fields that are needed is refused") {
  Recorded recorded;
  CHECK_THROWS_AS(
      recorded.records.add_event(tracefs::format_text("entry0", 5, ""), UprobeEvent::entry, 0),
      Error);
}

}  // namespace tailgate
