#include "harness/trial/ledger.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

using namespace tailgate;

namespace {

constexpr std::uint32_t kRun = 7;

std::vector<std::byte> make(std::uint16_t thread, std::uint64_t sequence,
                            EventEncoding encoding = EventEncoding::binary,
                            std::uint32_t run = kRun) {
  std::vector<std::byte> event = prepare_event(encoding, 100);
  stamp_event(event.data(), encoding,
              {.run = run,
               .thread = thread,
               .size_bytes = static_cast<std::uint16_t>(event.size()),
               .sequence = sequence,
               .emit_ns = 1000 + sequence});
  return event;
}

struct Fixture {
  std::uint64_t begun = 100;
  EventStamp stamp{};
  Ledger ledger{kRun, 2, EventEncoding::binary, [this](unsigned) { return begun; }};
  bool add(std::uint16_t thread, std::uint64_t sequence) {
    return ledger.add(make(thread, sequence), stamp);
  }
};

}  // namespace

TEST_CASE("every event counts once, by thread and sequence") {
  Fixture f;
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(f.add(0, i));
  CHECK(f.add(1, 0));
  CHECK(f.stamp.thread == 1);
  CHECK(f.stamp.emit_ns == 1000);
  CHECK(f.ledger.counts().delivered == 101);
  CHECK(f.ledger.counts().reordered == 0);
  CHECK_FALSE(f.add(0, 50));
  CHECK(f.ledger.counts().duplicates == 1);
  CHECK(f.ledger.counts().delivered == 101);
  CHECK(f.ledger.has(0, 99));
  CHECK_FALSE(f.ledger.has(0, 100));
  CHECK_FALSE(f.ledger.has(1, 99));
}

TEST_CASE("an event after a later one of its thread is reordered, not lost") {
  Fixture f;
  for (std::uint64_t i : {0, 1, 3, 2, 4, 9, 5, 6}) CHECK(f.add(0, i));
  CHECK(f.ledger.counts().delivered == 8);
  CHECK(f.ledger.counts().reordered == 3);  // 2, 5, 6
}

TEST_CASE("events that were never emitted are foreign") {
  Fixture f;
  CHECK_FALSE(f.add(0, 100));
  CHECK_FALSE(f.add(0, ~std::uint64_t{0}));
  CHECK_FALSE(f.add(2, 0));
  CHECK_FALSE(f.ledger.add(make(0, 0, EventEncoding::binary, 8), f.stamp));
  CHECK(f.ledger.counts().foreign == 4);
  f.begun = 101;
  CHECK(f.add(0, 100));
}

TEST_CASE("one changed bit anywhere is a corruption, never a delivery") {
  const auto encoding = GENERATE(EventEncoding::binary, EventEncoding::text);
  Ledger ledger(kRun, 1, encoding, [](unsigned) { return 1000u; });
  EventStamp stamp;
  const std::vector<std::byte> event = make(0, 5, encoding);
  std::uint64_t changes = 0;
  for (std::size_t at = 0; at < event.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> changed = event;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      CHECK_FALSE(ledger.add(changed, stamp));
      ++changes;
    }
  }
  CHECK(ledger.counts().delivered == 0);
  CHECK(ledger.counts().corrupted + ledger.counts().foreign == changes);
  CHECK(ledger.add(event, stamp));
}

TEST_CASE("any bytes are accepted") {
  std::mt19937 random(1);
  Ledger ledger(kRun, 1, EventEncoding::binary, [](unsigned) { return 1000u; });
  EventStamp stamp;
  for (std::size_t i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes(random() % 200);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (bytes.size() >= 8 && i % 2 == 0) {
      const std::vector<std::byte> real = make(0, 1);
      std::copy_n(real.begin(), std::min<std::size_t>(bytes.size(), 8 + i % 40), bytes.begin());
    }
    CHECK_FALSE(ledger.add(bytes, stamp));
  }
  CHECK(ledger.counts().delivered == 0);
}

namespace {

// The memory of a trial of one thread that emitted so many events.
TrialMemory memory_of(std::uint64_t emitted) {
  TrialPlan plan;
  plan.range = {.lowest_discernible = 1, .highest_trackable = 1000, .significant_digits = 1};
  TrialMemory memory = TrialMemory::create(plan);
  memory.thread(0).started = emitted;
  memory.thread(0).finished = emitted;
  return memory;
}

// The account of a trial of one thread: so many emitted, read back and reported as lost.
LedgerAccount account_of(std::uint64_t emitted, std::uint64_t delivered, std::uint64_t lost,
                         bool interrupted = false) {
  const TrialMemory memory = memory_of(emitted);
  memory.header().consumer.counts.delivered = delivered;
  return balance_ledger(memory, {.read_back = true,
                                 .interrupted = interrupted,
                                 .accounts_losses = true,
                                 .session_losses = {{"dropped", lost}}});
}

}  // namespace

TEST_CASE("an account that adds up is checked, and what is missing is unaccounted") {
  CHECK(account_of(10, 8, 2).checked);
  CHECK(account_of(10, 8, 2).unaccounted == 0);
  const LedgerAccount missing = account_of(10, 7, 2);
  CHECK(missing.checked);
  CHECK(missing.unaccounted == 1);
  CHECK_FALSE(missing.unaccounted_cause.empty());
}

TEST_CASE("an account that cannot be is unchecked, and says which counts contradict each other") {
  const LedgerAccount account = account_of(30'000, 30'000, 29'999);
  CHECK_FALSE(account.checked);
  CHECK(account.unchecked());
  CHECK(account.unaccounted == 0);
  CHECK(account.delivered == 0);
  CHECK(account.lost == 0);
  CHECK(account.losses.empty());
  for (const char* part : {"30000 events were emitted", "29999", "'dropped'", "cannot be"}) {
    CHECK_THAT(account.unchecked_cause.value_or(""), Catch::Contains(part));
  }
}

TEST_CASE("losses of any size contradict the events, they do not wrap around") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  CHECK(account_of(10, 5, kMost).unchecked());
  CHECK(account_of(10, 0, kMost - 3).unchecked());
  const TrialMemory memory = memory_of(10);
  memory.header().consumer.counts.delivered = 8;
  const LedgerAccount account = balance_ledger(
      memory, {.read_back = true, .session_losses = {{"dropped", kMost}, {"discarded", 3}}});
  CHECK(account.unchecked());
  CHECK(account.lost == 0);
}

TEST_CASE("more losses than events cannot be, even where nothing was read back") {
  const TrialMemory memory = memory_of(10);
  const LedgerAccount all_lost = balance_ledger(memory, {.session_losses = {{"dropped", 10}}});
  CHECK_FALSE(all_lost.unchecked());
  CHECK(all_lost.lost == 10);
  const LedgerAccount wrong = balance_ledger(memory, {.session_losses = {{"dropped", 11}}});
  CHECK(wrong.lost == 0);
  CHECK_THAT(wrong.unchecked_cause.value_or(""),
             Catch::Contains("10 events were emitted, and 11 are reported as lost"));
  const LedgerAccount twice = balance_ledger(
      memory, {.unchecked_cause = "the consumer crashed", .session_losses = {{"dropped", 11}}});
  CHECK_THAT(twice.unchecked_cause.value_or(""),
             Catch::StartsWith("the consumer crashed; ") && Catch::Contains("cannot be"));
}

TEST_CASE("no more events of unfinished calls can be delivered than calls were unfinished") {
  const TrialMemory memory = memory_of(10);
  memory.thread(0).started = 11;
  memory.header().consumer.counts.delivered = 11;
  memory.header().consumer.counts.delivered_in_flight = 1;
  CHECK(balance_ledger(memory, {.read_back = true}).checked);
  memory.header().consumer.counts.delivered_in_flight = 2;
  CHECK(balance_ledger(memory, {.read_back = true}).unchecked());
}

TEST_CASE("what an interrupt did not wait for is unchecked, not unaccounted") {
  CHECK(account_of(10, 10, 0, true).checked);
  const LedgerAccount account = account_of(10, 6, 1, true);
  CHECK(account.unchecked());
  CHECK_THAT(account.unchecked_cause.value_or(""), Catch::Contains("interrupted when 6 of 10"));
}

TEST_CASE("what was switched off is neither lost nor unaccounted, what an enable missed is lost") {
  const TrialMemory memory = memory_of(100);
  memory.header().consumer.counts.delivered = 50;
  SwitchRead switched{};
  switched.not_delivered = 30;
  switched.events.missed = 15;
  const LedgerAccount account =
      balance_ledger(memory, {.read_back = true, .accounts_losses = true, .switched = switched});
  CHECK(account.switched_off == 30);
  CHECK(account.lost == 15);
  CHECK(account.unaccounted == 5);
  CHECK(account.emitted == account.delivered + account.lost + 5 + *account.switched_off);
  REQUIRE(account.losses.size() == 1);
  CHECK(account.losses.front().cause == "missed after an enable");
  CHECK(account.losses.front().reported_by == "scenario");
  CHECK_FALSE(balance_ledger(memory, {.read_back = true}).switched_off);
}

TEST_CASE(
    "where the sink's options leave all events out, those that are missing are switched off") {
  const TrialMemory memory = memory_of(100);
  memory.header().consumer.counts.delivered = 3;
  const LedgerAccount account = balance_ledger(memory, {.read_back = true, .switched_off = true});
  CHECK(account.switched_off == 97);
  CHECK(account.lost == 0);
  CHECK(account.unaccounted == 0);
}

TEST_CASE("refusals of calls that were switched off are no losses, others are") {
  const TrialMemory memory = memory_of(100);
  memory.header().provider.refusal_causes[0].set("off");
  memory.thread(0).refused[0] = 40;
  memory.header().consumer.counts.delivered = 60;
  SwitchRead switched{};
  switched.not_delivered = 30;
  switched.refused = 30;
  const LedgerAccount account = balance_ledger(memory, {.read_back = true, .switched = switched});
  CHECK(account.switched_off == 30);
  CHECK(account.lost == 10);
  CHECK(account.unaccounted == 0);
  // Where nothing was read back, nobody knows which were off.
  CHECK(balance_ledger(memory, {.switched = switched}).lost == 40);
}

TEST_CASE("the times of events are known where they were asked for") {
  Fixture f;
  f.ledger.keep_times();
  for (std::uint64_t i : {0, 7, 3, 99}) CHECK(f.add(1, i));
  CHECK(f.ledger.time_of(1, 7) == 1007u);
  CHECK(f.ledger.time_of(1, 99) == 1099u);
  CHECK_FALSE(f.ledger.time_of(1, 4));
  CHECK_FALSE(f.ledger.time_of(1, 5000));
  CHECK_FALSE(f.ledger.time_of(0, 0));
}

TEST_CASE("what was read before a mark is counted apart, and its youngest event is known") {
  std::uint64_t mark = 70;
  EventStamp stamp{};
  Ledger ledger(
      kRun, 2, EventEncoding::binary, [](unsigned) { return 1000; },
      [&](unsigned) { return mark; });
  for (std::uint64_t i = 0; i < 100; ++i) {
    const bool gone = i == 3 || (i >= 65 && i < 90);
    if (!gone) CHECK(ledger.add(make(0, i), stamp));
  }
  const ThreadRead read = ledger.read_of(0, mark);
  CHECK(read.delivered == 100 - 1 - 25);
  CHECK(read.delivered_before == 64);
  CHECK(read.next_before == 65);
  CHECK(read.youngest_ns == 1000 + 64);
  CHECK(ledger.read_of(1, mark).delivered == 0);
  CHECK(ledger.read_of(1, mark).next_before == 0);
  // On the border of two words of the ledger's memory, and beyond all of it.
  CHECK(ledger.read_of(0, 64).delivered_before == 63);
  CHECK(ledger.read_of(0, 64).next_before == 64);
  CHECK(ledger.read_of(0, 1 << 20).delivered_before == read.delivered);
  CHECK(ledger.read_of(0, 1 << 20).next_before == 100);
}

TEST_CASE("the oldest event that was read is known, in whatever order they come") {
  Fixture f;
  for (const std::uint64_t i : {40, 12, 41, 13, 90}) CHECK(f.add(0, i));
  const ThreadRead read = f.ledger.read_of(0, 100);
  CHECK(read.oldest == 12 + 1);
  CHECK(read.oldest_ns == 1000 + 12);
  CHECK(read.next == 90 + 1);
  CHECK(f.ledger.read_of(1, 100).oldest == 0);
  CHECK(f.ledger.read_of(1, 100).next == 0);
}
