// Runs whole rounds on the synthetic sink, whose service times are known in advance.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/result/json.h"
#include "harness/result/latency.h"
#include "harness/run/duet/test_duet.h"
#include "providers/testing/sinks.h"

using namespace tailgate;

namespace {

bool balanced(const LedgerAccount& ledger) {
  return ledger.checked && ledger.unaccounted == 0 &&
         ledger.emitted == ledger.delivered + ledger.lost;
}

void check_whole(const DuetSide& side) {
  INFO(side.outcome << " " << side.outcome_detail);
  CHECK(side.outcome == TrialOutcome::completed);
  CHECK(balanced(side.ledger));
  CHECK(decode_latency(side.service).total_count() == side.events);
  CHECK(decode_latency(side.response).total_count() == side.events);
  CHECK(decode_latency(side.raw_service).total_count() == side.events);
  CHECK(decode_latency(side.raw_response).total_count() == side.events);
}

}  // namespace

TEST_CASE("two equal sides have exactly the same counts") {
  const Duet duet = run(
      request(sink_choice("synthetic:service_ns=1000"), sink_choice("synthetic:service_ns=1000")));
  CHECK(duet.complete);
  REQUIRE(duet.rounds.size() == 1);
  const DuetRound& round = duet.rounds[0];
  check_whole(round.a);
  check_whole(round.b);
  // A turn of 10 ms at 20,000 events per second has 200 events, of which 20 are dropped.
  for (const DuetSide* side : {&round.a, &round.b}) {
    CHECK(side->events == 10 * 180);
    CHECK(side->dropped == 10 * 20);
    CHECK(side->cpu_events == 10 * 200);
    CHECK(side->ledger.emitted == 11 * 200);
    CHECK(decode_latency(side->service).min() >= 1000);
    CHECK(side->rss_bytes.value_or(0) > 0);
    CHECK_FALSE(side->daemon_cpu_ns.has_value());
  }
  CHECK(duet.drain == "none");
  CHECK(duet.a.load.duration_s == Approx(0.1));
  // The file is read back as it was written.
  CHECK(write_duet(read_duet(write_duet(duet), "memory")) == write_duet(duet));
}

namespace {

DuetRequest with_threads(DuetRequest wanted, unsigned threads) {
  for (DuetSubjectRequest* side : {&wanted.a, &wanted.b}) {
    side->side.load.threads = threads;
    side->side.load.pacing = Pacing::hybrid;  // they have one processor
  }
  return wanted;
}

}  // namespace

TEST_CASE("sides with several threads have exactly the same counts") {
  DuetRequest wanted = with_threads(
      request(sink_choice("synthetic:service_ns=1000"), sink_choice("synthetic:service_ns=1000")),
      3);
  wanted.wishes.turn_ms = 30;
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  // A turn of 30 ms has 600 events, 200 of each thread, of which 20 are dropped.
  for (const DuetSide* side : {&duet.rounds[0].a, &duet.rounds[0].b}) {
    check_whole(*side);
    CHECK(side->events == 10 * 540);
    CHECK(side->dropped == 10 * 60);
    CHECK(side->cpu_events == 10 * 600);
    CHECK(side->ledger.emitted == 11 * 600);
    CHECK(side->spun_ns > 0);
    REQUIRE(side->threads);
    REQUIRE(side->threads->size() == 3);
    for (const DuetThread& thread : *side->threads) CHECK(thread.events == 10 * 180);
  }
  CHECK(write_duet(read_duet(write_duet(duet), "memory")) == write_duet(duet));
}

TEST_CASE("a second thread that alone is slower shows in its own figures") {
  const std::string sink = "synthetic:service_ns=2000:plant_thread=1:plant_slower_percent=";
  const Duet duet =
      run(with_threads(request(sink_choice(sink + "0"), sink_choice(sink + "100")), 3));
  REQUIRE(duet.rounds.size() == 1);
  const DuetRound& round = duet.rounds[0];
  REQUIRE(round.a.threads);
  REQUIRE(round.b.threads);
  const auto p50 = [](const DuetSide& side, std::size_t thread) {
    return static_cast<double>(side.threads->at(thread).response_ns_p50);
  };
  CHECK(p50(round.b, 1) / p50(round.a, 1) == Approx(2).margin(0.3));
  CHECK(p50(round.b, 0) / p50(round.a, 0) == Approx(1).margin(0.3));
}

TEST_CASE("a round says how busy the load's processor was") {
  const Duet duet = run(request(sink_choice("null"), sink_choice("null")));
  REQUIRE(duet.rounds.size() == 1);
  const DuetRound& round = duet.rounds[0];
  REQUIRE(round.noise);
  CHECK(round.noise->observed_ns >= 5'000'000);
  CHECK(round.noise->max_gap_ns > 0);
  CHECK(round.noise->gaps_over_10us >= round.noise->gaps_over_100us);
  CHECK(round.noise->lost_share <= 1);
}

TEST_CASE("a quarter more service time raises the median by a quarter") {
  DuetRequest wanted =
      request(sink_choice("synthetic:service_ns=2000"), sink_choice("synthetic:service_ns=2500"));
  wanted.rounds = 3;
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 3);
  for (const DuetRound& round : duet.rounds) {
    const auto a = static_cast<double>(round.a.service.p50_ns);
    const auto b = static_cast<double>(round.b.service.p50_ns);
    CHECK(a >= 2000);
    CHECK(b / a == Approx(1.25).margin(0.05));
    CHECK(round.b.trimmed_mean_ns > round.a.trimmed_mean_ns);
  }
}

TEST_CASE("the seed determines the order, and another seed gives another order") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 2;
  const Duet one = run(wanted);
  const Duet again = run(wanted);
  wanted.seed = 2;
  const Duet other = run(wanted);
  for (unsigned i = 0; i < 2; ++i) {
    const RoundOrder order = round_order(1, i, 10, 1);
    CHECK(one.rounds[i].turn_order == order.turns);
    CHECK(one.rounds[i].a_started_first == order.a_first);
    CHECK(again.rounds[i].turn_order == order.turns);
  }
  CHECK(one.rounds[0].turn_order != one.rounds[1].turn_order);
  CHECK(other.rounds[0].turn_order != one.rounds[0].turn_order);
}

TEST_CASE("a duet ends when the observer needs no more rounds") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 50;
  Observer observer;
  observer.on_enough = [](const Duet& duet) { return duet.rounds.size() == 2; };
  const Duet duet = run(wanted, observer);
  CHECK(duet.rounds.size() == 2);
  CHECK(duet.complete);
  CHECK(observer.ended == 2);
}

TEST_CASE("a duet that is resumed has the rounds of one that was not stopped") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 2;
  const Duet first = run(wanted);
  wanted.rounds = 3;
  wanted.earlier = &first;
  Observer observer;
  observer.ended = 2;
  const Duet resumed = run(wanted, observer);
  CHECK(resumed.complete);
  CHECK(resumed.id == first.id);
  CHECK(resumed.planned_rounds == 3);
  REQUIRE(resumed.rounds.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    CHECK(resumed.rounds[i].index == i);
    CHECK(resumed.rounds[i].turn_order == round_order(1, i, 10, 1).turns);
  }
  CHECK(resumed.rounds[1].started_utc == first.rounds[1].started_utc);
  REQUIRE(resumed.parts);
  REQUIRE(resumed.parts->size() == 2);
  CHECK(resumed.parts->at(0).rounds == 2);
  CHECK(resumed.parts->at(0).stopped);
  CHECK(resumed.parts->at(1).rounds == 3);
  CHECK(write_duet(read_duet(write_duet(resumed), "memory")) == write_duet(resumed));
}

TEST_CASE("a duet is resumed only with what it began with") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  const Duet first = run(wanted);
  wanted.rounds = 2;
  const auto refused = [&wanted](const Duet& earlier) -> std::string {
    wanted.earlier = &earlier;
    try {
      run(wanted);
    } catch (const Error& error) {
      return error.what_failed();
    }
    return "";
  };
  Duet earlier = first;
  earlier.seed = 9;
  CHECK_THAT(refused(earlier), Catch::Contains("the seed is other now"));
  earlier = first;
  earlier.b.build.flags = "-O1";
  CHECK_THAT(refused(earlier), Catch::Contains("side B"));
  earlier = first;
  earlier.turns = 9;
  CHECK_THAT(refused(earlier), Catch::Contains("the number of turns is other now"));
  earlier = first;
  earlier.machine.fingerprint = "f00";
  CHECK_THAT(refused(earlier), Catch::Contains("kernel"));
  earlier = first;
  earlier.machine.details = {{"boot", "0badb007"}};
  CHECK_THAT(refused(earlier), Catch::Contains("started anew"));
}

TEST_CASE("a duet that has no room for another round ends, is not complete, and says so") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("null"));
  wanted.rounds = 50;
  Observer observer;
  observer.room_for_rounds = 2;
  const Duet duet = run(wanted, observer);
  CHECK(duet.rounds.size() == 2);
  CHECK_FALSE(duet.complete);
  REQUIRE(duet.remarks.size() == 1);
  CHECK(duet.remarks[0].what == "the duet ended early, because it is as large as it may be");
}

TEST_CASE("repeated failures of a side end the duet") {
  DuetRequest wanted =
      request(sink_choice("null"), sink_choice("synthetic:service_ns=0:crash_at=300"));
  wanted.rounds = 10;
  const Duet duet = run(wanted);
  CHECK_FALSE(duet.complete);
  CHECK(duet.rounds.size() == kMaxFailedRounds);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::crashed);
  CHECK(duet.remarks.size() == 1);
}

TEST_CASE("a side whose events cannot be read back is unchecked") {
  DuetRequest wanted = request(sink_choice("synthetic:service_ns=0"),
                               sink_choice("synthetic:service_ns=0:read_crash_at=100"));
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].a.outcome == TrialOutcome::completed);
  CHECK(duet.rounds[0].b.outcome == TrialOutcome::unchecked);
  CHECK(duet.rounds[0].b.ledger.unchecked());
}

TEST_CASE("a leak shows in the memory at the end") {
  const Duet duet = run(
      request(sink_choice("null:plant_leak_bytes=0"), sink_choice("null:plant_leak_bytes=1000")));
  REQUIRE(duet.rounds.size() == 1);
  const auto a = static_cast<double>(duet.rounds[0].a.rss_bytes.value_or(0));
  const auto b = static_cast<double>(duet.rounds[0].b.rss_bytes.value_or(0));
  CHECK(b - a >= 0.8 * 11 * 200 * 1000);
  CHECK(b - a <= 1.5 * 11 * 200 * 1000);
}

TEST_CASE("a sink that cannot keep up misses its rate, and only that side does") {
  DuetRequest wanted = request(sink_choice("null"), sink_choice("synthetic:service_ns=60_000"));
  wanted.wishes.turns = 4;
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 1);
  CHECK(duet.rounds[0].b.rate_missed);
  CHECK_FALSE(duet.rounds[0].a.rate_missed);
  CHECK(duet.rounds[0].b.response.p99_ns > duet.rounds[0].b.service.p99_ns);
}

namespace {

// Six rounds, of which two live long, between four fresh ones.
DuetRequest with_long_rounds(const std::string& a, const std::string& b) {
  DuetRequest wanted = request(sink_choice(a), sink_choice(b));
  wanted.rounds = 6;
  wanted.long_rounds = 5;
  return wanted;
}

bool is_long(const DuetRound& round) {
  return round.visits.value_or(0) > 1;
}

}  // namespace

TEST_CASE("a long round has as many turns and calls as a fresh one, and is older") {
  const Duet duet = run(with_long_rounds("synthetic:service_ns=0", "synthetic:service_ns=0"));
  CHECK(duet.complete);
  CHECK(duet.long_rounds == 5u);
  REQUIRE(duet.rounds.size() == 6);
  std::uint64_t oldest_fresh_ns = 0;
  for (unsigned i = 0; i < 6; ++i) {
    const DuetRound& round = duet.rounds[i];
    CHECK(round.index == i);
    CHECK(round.visits == (i < 4 ? 1u : 4u));
    CHECK(round.turn_order == round_order(1, i, 10, 1).turns);
    check_whole(round.a);
    check_whole(round.b);
    for (const DuetSide* side : {&round.a, &round.b}) {
      CHECK(side->events == 10 * 180);
      // Probes between the turns of a visit are counted, too.
      CHECK(side->cpu_events >= 10 * 200);
      CHECK(side->cpu_events <= 10 * 200 + side->probes.value_or(0));
      CHECK(side->ledger.emitted == 11 * 200 + side->probes.value_or(0));
      CHECK(side->rss_bytes.value_or(0) > 0);
    }
    REQUIRE(round.age_ns.has_value());
    if (i < 4) oldest_fresh_ns += *round.age_ns;
    if (i >= 4) CHECK(*round.age_ns > oldest_fresh_ns);
  }
}

TEST_CASE("a stall that comes once in a process's life shows in long rounds alone", "[long]") {
  // Ten fresh rounds of at least 0.2 s are in the life of a long one. The stall begins after one
  // second of it and ends before the last of them.
  constexpr double kFirstS = 1;
  constexpr std::uint64_t kStalledNs = 20'000'000;
  DuetRequest wanted =
      request(sink_choice("synthetic:service_ns=0"),
              sink_choice("synthetic:service_ns=0:stall_ms=600:stall_first_s=1:stall_every_s=0"));
  wanted.rounds = 12;
  wanted.long_rounds = 3;
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 12);
  CHECK(std::count_if(duet.rounds.begin(), duet.rounds.end(), is_long) == 2);
  for (const DuetRound& round : duet.rounds) {
    INFO(round.index);
    CHECK(round.a.stalled_ns.value_or(kStalledNs) < kStalledNs);
    if (static_cast<double>(round.age_ns.value_or(0)) / 1e9 < kFirstS) {
      CHECK(round.b.stalled_ns.value_or(kStalledNs) < kStalledNs);
    }
    if (!is_long(round)) continue;
    CHECK(round.a.probes.value_or(0) > 10);
    CHECK(round.b.probes.value_or(0) > 10);
    CHECK(round.b.over_1ms >= 1);
    CHECK(round.b.stalled_ns.value_or(0) >= kStalledNs);
  }
}

TEST_CASE("a duet that ends within a generation leaves its long rounds out and says so") {
  Observer observer;
  observer.on_enough = [](const Duet& duet) { return duet.rounds.size() == 2; };
  const Duet duet = run(with_long_rounds("null", "null"), observer);
  CHECK(duet.complete);
  REQUIRE(duet.rounds.size() == 2);
  CHECK_FALSE(is_long(duet.rounds[1]));
  REQUIRE(duet.remarks.size() == 1);
  CHECK(duet.remarks[0].what == "the duet ended before 2 long rounds did, which are left out");
}

TEST_CASE("long rounds that have had all their turns are recorded, though enough is known") {
  Observer observer;
  observer.on_enough = [](const Duet& duet) { return duet.rounds.size() >= 4; };
  const Duet duet = run(with_long_rounds("null", "null"), observer);
  CHECK(duet.complete);
  CHECK(duet.rounds.size() == 6);
  CHECK(duet.remarks.empty());
}

TEST_CASE("a generation ends at each look") {
  DuetRequest wanted = with_long_rounds("null", "null");
  wanted.rounds = 8;
  wanted.looks = {3, 7};
  const Duet duet = run(wanted);
  REQUIRE(duet.rounds.size() == 8);
  // Of 3 rounds one lives long, of 4 one, of the last none.
  for (unsigned i = 0; i < 8; ++i) {
    INFO(i);
    CHECK(duet.rounds[i].index == i);
    CHECK(is_long(duet.rounds[i]) == (i == 2 || i == 6));
  }
}

TEST_CASE("a long round that cannot begin has failed, and the others run") {
  // The warm-up turn and the ten measured ones have 200 calls each; the fresh rounds crash, too.
  DuetRequest wanted = with_long_rounds("null", "synthetic:service_ns=0:crash_at=100");
  const Duet duet = run(wanted);
  CHECK_FALSE(duet.complete);
  CHECK(duet.rounds.size() == kMaxFailedRounds);
  for (const DuetRound& round : duet.rounds) CHECK_FALSE(round.age_ns.has_value());
}
