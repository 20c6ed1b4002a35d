#include "harness/sink/sink.h"

#include <catch2/catch.hpp>

#include <algorithm>

#include "providers/testing/test_trial.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kCalls = 1000;

struct Outcome {
  std::uint64_t refused = 0;
  std::uint64_t lost = 0;
  Record read;
};

Outcome run(const std::string& options) {
  TestTrial trial("synthetic:service_ns=0" + options);
  trial.open();
  Outcome outcome;
  for (std::uint64_t call = 0; call < kCalls; ++call) {
    const std::string refusal = trial.emit();
    if (refusal.empty()) continue;
    CHECK(refusal == "planted");
    ++outcome.refused;
  }
  trial.provider().close();
  outcome.lost = trial.lost();
  outcome.read = trial.read_back();
  return outcome;
}

std::uint64_t distinct(std::vector<std::uint64_t> sequences) {
  std::sort(sequences.begin(), sequences.end());
  return static_cast<std::uint64_t>(std::unique(sequences.begin(), sequences.end()) -
                                    sequences.begin());
}

TEST_CASE("without faults every event comes back in order") {
  const Outcome outcome = run("");
  REQUIRE(outcome.read.sequences.size() == kCalls);
  CHECK(std::is_sorted(outcome.read.sequences.begin(), outcome.read.sequences.end()));
  CHECK(outcome.lost == 0);
}

TEST_CASE("refused events are counted as refused, lost events as lost, hidden events as neither") {
  const Outcome refused = run(":refuse_every=7");
  CHECK(refused.refused == kCalls / 7);
  CHECK(refused.lost == 0);
  CHECK(refused.read.sequences.size() == kCalls - kCalls / 7);

  const Outcome lost = run(":lose_every=100");
  CHECK(lost.refused == 0);
  CHECK(lost.lost == 10);
  CHECK(lost.read.sequences.size() == kCalls - 10);
  CHECK(std::count(lost.read.sequences.begin(), lost.read.sequences.end(), 99) == 0);

  const Outcome hidden = run(":hide_every=250");
  CHECK(hidden.refused == 0);
  CHECK(hidden.lost == 0);
  CHECK(hidden.read.sequences.size() == kCalls - 4);
}

TEST_CASE("a call selected by several faults suffers the first in their order") {
  const Outcome outcome = run(":refuse_every=10:lose_every=5:hide_every=2");
  CHECK(outcome.refused == 100);                               // multiples of 10
  CHECK(outcome.lost == 100);                                  // the other multiples of 5
  CHECK(outcome.read.sequences.size() == kCalls - 200 - 400);  // the other even ones
}

TEST_CASE("the consumer sees changed, duplicated and reordered events") {
  const Outcome corrupt = run(":corrupt_every=100");
  CHECK(corrupt.read.bad_events == 10);
  CHECK(corrupt.read.sequences.size() == kCalls - 10);

  const Outcome twice = run(":duplicate_every=100");
  CHECK(twice.read.sequences.size() == kCalls + 10);
  CHECK(distinct(twice.read.sequences) == kCalls);
  CHECK(twice.read.sequences.at(99) == 99);
  CHECK(twice.read.sequences.at(100) == 99);

  const Outcome exchanged = run(":reorder_every=3");
  CHECK(distinct(exchanged.read.sequences) == kCalls);
  CHECK(exchanged.read.sequences.size() == kCalls);
  const std::vector<std::uint64_t> first(exchanged.read.sequences.begin(),
                                         exchanged.read.sequences.begin() + 8);
  CHECK(first == std::vector<std::uint64_t>{0, 1, 3, 2, 4, 6, 5, 7});

  const Outcome last = run(":reorder_every=1000");  // has no successor
  CHECK(last.read.sequences.back() == 999);
}

TEST_CASE("calls are numbered per thread") {
  TestTrial trial("synthetic:service_ns=0:lose_every=10", 2);
  trial.open();
  for (int i = 0; i < 100; ++i) trial.emit(0);
  for (int i = 0; i < 15; ++i) trial.emit(1);
  trial.provider().close();
  CHECK(trial.lost() == 11);
}

TEST_CASE("a call is never shorter than its service time") {
  TestTrial trial("synthetic:service_ns=20_000");
  trial.open();
  const Clock& clock = trial.context().clock;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t start_ns = clock.now_ns();
    trial.emit();
    REQUIRE(clock.now_ns() - start_ns >= 20000);
  }
}

TEST_CASE("a call that begins in a stall returns after the stall") {
  TestTrial trial("synthetic:service_ns=1000:stall_ms=3:stall_first_s=0.002:stall_every_s=0");
  trial.open();
  const Clock& clock = trial.context().clock;
  const std::uint64_t before_ns = clock.now_ns();
  trial.emit();
  const std::uint64_t after_ns = clock.now_ns();  // the stalls' origin lies between the two reads
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = after_ns;
  while (start_ns < after_ns + 2'000'000) {
    start_ns = clock.now_ns();
    trial.emit();
    end_ns = clock.now_ns();
  }
  // The machine may have been descheduled during the whole stall. If not, the call waited for its
  // end.
  if (start_ns < before_ns + 5'000'000) CHECK(end_ns >= before_ns + 5'001'000);
}

TEST_CASE("stalls as long as their period are refused at the start of a run") {
  CHECK_THROWS_AS(TestTrial("synthetic:stall_ms=1000:stall_every_s=1"), Error);
}

TEST_CASE("events beyond the announced number are kept") {
  TestTrial trial("synthetic:service_ns=0", 1, 10, 32768);
  trial.open();
  std::uint64_t accepted = 0;
  for (int call = 0; call < 10'000'000 && accepted < 1200; ++call) {
    if (trial.emit().empty()) ++accepted;
  }
  CHECK(accepted == 1200);  // 39 MB, and 16 MiB were prefaulted
  trial.provider().close();
  CHECK(trial.read_back().sequences.size() == accepted);
}

TEST_CASE("kill_loses_events keeps the last events of each thread until the sink is closed") {
  TestTrial trial("synthetic:service_ns=0:kill_loses_events=7", 2);
  trial.open();
  for (int i = 0; i < 100; ++i) {
    CHECK(trial.emit(0).empty());
    if (i < 5) CHECK(trial.emit(1).empty());
  }
  CHECK(trial.read_back().sequences.size() == 93);
  trial.provider().close();
  CHECK(trial.read_back().sequences.size() == 105);
}

TEST_CASE("events of a disabled session are accepted and not stored") {
  TestTrial trial("synthetic:service_ns=0");
  trial.open();
  const auto emit = [&trial](int calls) {
    for (int i = 0; i < calls; ++i) CHECK(trial.emit().empty());
  };
  emit(10);
  trial.session().listen(false, SwitchWay::session);
  trial.session().listen(false, SwitchWay::level);  // is so already
  emit(20);
  trial.session().listen(true, SwitchWay::keyword);
  emit(5);
  trial.provider().close();
  CHECK(trial.emit() == "closed");
  const Record read = trial.read_back();
  CHECK(read.sequences.size() == 15);
  CHECK(read.sequences.at(10) == 30);
}

TEST_CASE("a switch comes into force as late, and holds up as long, as planned") {
  TestTrial trial(
      "synthetic:service_ns=0:toggle_lag_ms=200:toggle_leak_ms=200:toggle_stall_us=3000:"
      "off_service_ns=20_000");
  trial.open();
  const Clock& clock = trial.context().clock;
  const auto took_ns = [&] {
    const std::uint64_t start_ns = clock.now_ns();
    trial.emit();
    return clock.now_ns() - start_ns;
  };
  const auto listen = [&](bool on) {
    trial.session().listen(on, SwitchWay::session);
    return clock.now_ns();
  };
  const auto wait_until = [&](std::uint64_t end_ns) {
    while (clock.now_ns() < end_ns) {
    }
  };
  trial.emit();
  std::uint64_t switched_ns = listen(false);
  CHECK(took_ns() >= 3'000'000);  // leaks, and stalls
  CHECK(trial.read_back().sequences.size() == 2);
  wait_until(switched_ns + 200'000'000);
  CHECK(took_ns() >= 20'000);
  CHECK(trial.read_back().sequences.size() == 2);
  switched_ns = listen(true);
  CHECK(took_ns() >= 3'000'000);  // comes too early, and stalls
  CHECK(trial.read_back().sequences.size() == 2);
  wait_until(switched_ns + 200'000'000);
  trial.emit();
  trial.provider().close();
  CHECK(trial.read_back().sequences.size() == 3);
}

}  // namespace
}  // namespace tailgate
