#include "harness/run/duet/side_figures.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

using Values = std::vector<std::uint64_t>;

constexpr HistogramRange kRange = {
    .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};

TEST_CASE("without a queue, response times equal service times") {
  const Values due = {0, 100, 200, 1000};
  CHECK(lindley_response_ns(due, Values{100, 99, 100, 7}) == Values{100, 99, 100, 7});
}

TEST_CASE("calls after a slow call wait until its backlog has been processed") {
  // Due every 10; the first call takes 35, the others 4: the backlog of 25 shrinks by 6 per call.
  const Values due = {0, 10, 20, 30, 40, 50, 60};
  const Values service = {35, 4, 4, 4, 4, 4, 4};
  CHECK(lindley_response_ns(due, service) == Values{35, 29, 23, 17, 11, 5, 4});
}

TEST_CASE("calls due at the same time are served one after another") {
  CHECK(lindley_response_ns(Values{5, 5, 5}, Values{2, 2, 2}) == Values{2, 4, 6});
  CHECK(lindley_response_ns({}, {}).empty());
}

// With Poisson arrivals at rate l and exponential service times of mean 1/m, the mean response time
// of the M/M/1 queue is 1 / (m - l) (Kleinrock, Queueing Systems I, 1975).
TEST_CASE("the recursion reproduces the mean response time of the M/M/1 queue") {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> gap(1 / 1000.0);
  std::exponential_distribution<double> call(1 / 500.0);
  Values due;
  Values service;
  double now = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    now += gap(random);
    due.push_back(static_cast<std::uint64_t>(now));
    service.push_back(static_cast<std::uint64_t>(call(random) + 0.5));
  }
  const Values response = lindley_response_ns(due, service);
  const double mean = std::accumulate(response.begin(), response.end(), 0.0) / 1e6;
  CHECK(mean == Approx(1 / (1 / 500.0 - 1 / 1000.0)).epsilon(0.03));
}

TEST_CASE("a trimmed mean leaves out the largest values") {
  Values values(100, 10);
  values[37] = 1'000'000;
  CHECK(trimmed_mean(values, 0.99) == 10);
  CHECK(trimmed_mean(values, 1) == Approx(10009.9));
  CHECK(trimmed_mean({3, 1, 2}, 0.5) == Approx(1.5));  // two of three
  CHECK(trimmed_mean({5}, 0.01) == 5);
  CHECK(trimmed_mean({}, 0.99) == 0);
}

TEST_CASE("the mean of a tail is that of the calls from p99 to p99.9") {
  Values values(2000);
  std::iota(values.begin(), values.end(), 1);
  std::shuffle(values.begin(), values.end(), std::mt19937_64(3));
  // 1981 to 1998: beyond the smallest 1980, without the largest two.
  CHECK(tail_mean(values).value() == Approx((1981 + 1998) / 2.0));
  *std::max_element(values.begin(), values.end()) = 1'000'000;
  CHECK(tail_mean(values).value() == Approx((1981 + 1998) / 2.0));
  CHECK_FALSE(tail_mean(Values(1000, 5)));  // nine
  CHECK(tail_mean(Values(1200, 5)).value() == 5);
  CHECK_FALSE(tail_mean({}));
}

TEST_CASE("the median of an even number of values is the lower of the middle two") {
  CHECK(lower_median({4, 1, 3, 2}) == 2);
  CHECK(lower_median({9, 1, 5}) == 5);
  CHECK(lower_median({}) == 0);
}

TEST_CASE("for each turn the previous turn's side is known") {
  using Before = std::vector<std::optional<char>>;
  CHECK(sides_before("ABBAAB", {}, 'A') == Before{std::nullopt, 'B', 'A'});
  CHECK(sides_before("ABBAAB", {0}, 'B') == Before{'A', 'B', 'A'});
  CHECK(sides_before("", {}, 'A').empty());
}

TEST_CASE("what ran before a visit belongs to no side") {
  using Before = std::vector<std::optional<char>>;
  CHECK(sides_before("ABBAAB", {0, 4}, 'A') == Before{std::nullopt, 'B', std::nullopt});
  CHECK(sides_before("ABBAAB", {0, 2}, 'B') == Before{'A', std::nullopt, 'A'});
}

// Returns calls due every 100 us, with the given functions for service time and kind.
template <class Service, class Kind>
std::vector<CallRecord> calls_of(std::uint32_t turns, std::uint32_t in_turn, Service service,
                                 Kind kind) {
  std::vector<CallRecord> calls;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    for (std::uint32_t i = 0; i < in_turn; ++i) {
      const std::uint64_t due = turn * 1'000'000'000ull + i * 100'000ull;
      calls.push_back({due, due + 50, due + 50 + service(turn, i), turn, kind(turn, i), 0});
    }
  }
  return calls;
}

const auto kAllPlain = [](std::uint32_t, std::uint32_t) { return CallKind::unremarkable; };

TEST_CASE("the first calls of each turn are left out") {
  const auto calls = calls_of(
      3, 30, [](std::uint32_t, std::uint32_t i) { return i < 20 ? 9'000u : 1'000u; }, kAllPlain);
  DuetSide side;
  add_figures({calls}, {.range = kRange, .dropped_per_turn = 20, .turn_order = "ABABAB"}, side);
  CHECK(side.events == 30);
  CHECK(side.dropped == 60);
  CHECK(decode_latency(side.service).max() == 1'000);
  CHECK(decode_latency(side.raw_response).min() == 1'050);
  CHECK(side.trimmed_mean_ns == 1'000);
  CHECK(side.slow == 0);
}

TEST_CASE("a stall counts in the first calls of a turn, too") {
  const auto service = [](std::uint32_t turn, std::uint32_t i) {
    return turn == 1 && i == 0 ? 70'000'000u : 1'000u;
  };
  DuetSide side;
  add_figures({calls_of(3, 30, service, kAllPlain)},
              {.range = kRange, .dropped_per_turn = 20, .turn_order = "AAA"}, side);
  CHECK(side.over_1ms == 1);
  CHECK(side.stalled_ns == 70'000'000u);
  CHECK(side.slow_running_ns == 70'000'000u);
  CHECK(decode_latency(side.service).max() == 1'000);
}

TEST_CASE("a preempted call counts as the median, a blocked one with its measured time") {
  const auto service = [](std::uint32_t, std::uint32_t i) {
    return i == 40 ? 3'000'000u : i == 60 ? 2'000'000u : i == 80 ? 150'000u : 1'000u;
  };
  const auto kind = [](std::uint32_t, std::uint32_t i) {
    return i == 40 ? CallKind::preempted : i == 60 ? CallKind::blocked : CallKind::unremarkable;
  };
  DuetSide side;
  add_figures({calls_of(1, 100, service, kind)},
              {.range = kRange, .dropped_per_turn = 20, .turn_order = "A"}, side);
  CHECK(side.events == 80);
  CHECK(side.slow == 3);
  CHECK(side.preempted == 1);
  CHECK(side.blocked == 1);
  CHECK(side.over_1ms == 1);
  CHECK(side.over_100us == 2);
  CHECK(side.slow_running == 1u);
  CHECK(side.slow_running_ns == 150'000u);
  CHECK(decode_latency(side.raw_service).max() == Approx(3e6).epsilon(1e-3));
  CHECK(decode_latency(side.service).max() == Approx(2e6).epsilon(1e-3));
  // The blocked call delays the calls after it, the preempted one does not.
  CHECK(decode_latency(side.response).count_between(100'000, 60'000'000'000) == 20 + 1);
  CHECK(decode_latency(side.raw_response).max() == Approx(3e6).epsilon(1e-3));
}

TEST_CASE("a preempted call that ran long counts with the time in which it ran") {
  const auto service = [](std::uint32_t, std::uint32_t i) { return i < 40 ? 900'000u : 5'000u; };
  const auto kind = [](std::uint32_t, std::uint32_t i) {
    return i < 40 ? CallKind::preempted : CallKind::unremarkable;
  };
  std::vector<CallRecord> calls = calls_of(1, 100, service, kind);
  for (std::size_t i = 0; i < 20; ++i) calls[i].ran_us = 130;
  for (std::size_t i = 20; i < 40; ++i) calls[i].ran_us = 19;
  DuetSide side;
  add_figures({calls}, {.range = kRange, .closed_loop = true, .turn_order = "A"}, side);
  const Histogram times = decode_latency(side.service);
  CHECK(times.count_between(0, 6'000) == 80);
  CHECK(times.count_between(129'000, 131'000) == 20);
  CHECK(side.preempted == 40);
  CHECK(side.over_100us == 20);
  CHECK(side.over_1ms == 0);

  // Of a sink whose calls take longer than that anyway, only what is longer than the median counts.
  for (CallRecord& call : calls) {
    if (call.kind != CallKind::preempted) call.end_ns = call.start_ns + 200'000;
  }
  DuetSide slow;
  add_figures({calls}, {.range = kRange, .closed_loop = true, .turn_order = "A"}, slow);
  CHECK(slow.over_100us == 100);
}

TEST_CASE("a stolen call counts as the median, and is counted apart") {
  const auto service = [](std::uint32_t, std::uint32_t i) { return i < 40 ? 900'000u : 5'000u; };
  const auto kind = [](std::uint32_t, std::uint32_t i) {
    return i < 40 ? CallKind::stolen : CallKind::unremarkable;
  };
  const std::vector<CallRecord> calls = calls_of(1, 100, service, kind);
  DuetSide side;
  add_figures({calls}, {.range = kRange, .closed_loop = true, .turn_order = "A"}, side);
  CHECK(decode_latency(side.service).count_between(0, 6'000) == 100);
  CHECK(side.stolen == 40u);
  CHECK(side.preempted == 0);
  CHECK(side.slow == 40);
  CHECK(side.slow_running == 0u);
  CHECK(decode_latency(side.raw_service).count_between(890'000, 910'000) == 40);
}

TEST_CASE("a closed loop's response times are its classified service times") {
  const auto calls = calls_of(
      2, 50, [](std::uint32_t, std::uint32_t i) { return 500u + i; }, kAllPlain);
  DuetSide side;
  add_figures({calls}, {.range = kRange, .closed_loop = true, .turn_order = "ABAB"}, side);
  CHECK(side.response.hdr == side.service.hdr);
  CHECK(side.events == 100);
}

// Ten turns of 10 ms: the rate is held while they are together less than 1 ms late.
bool is_rate_missed(std::uint32_t late_turns, std::uint64_t late_us) {
  const auto service = [&](std::uint32_t turn, std::uint32_t i) {
    const bool last = i == 99;
    return last && turn < late_turns ? 100'000 + late_us * 1'000 : 1'000;
  };
  DuetSide side;
  add_figures({calls_of(10, 100, service, kAllPlain)},
              {.range = kRange, .turn_ns = 10'000'000, .turn_order = std::string(10, 'A')}, side);
  return side.rate_missed;
}

TEST_CASE("one pause is a stall, a side that is late in turn after turn misses its rate") {
  CHECK_FALSE(is_rate_missed(1, 40'000));
  CHECK(is_rate_missed(2, 1'100));
  CHECK_FALSE(is_rate_missed(2, 900));
  CHECK(is_rate_missed(10, 120));
  CHECK_FALSE(is_rate_missed(10, 100));
}

TEST_CASE("carry-over from the other side shows at the beginning of the turns after it") {
  // The turns of side A follow B, A, B, A …; after B its first calls take 10 % longer.
  std::string order;
  for (int i = 0; i < 10; ++i) order += "BAAB";  // A's turns: one after B, then one after A
  const auto service = [](std::uint32_t turn, std::uint32_t i) {
    return turn % 2 == 0 && i < 50 ? 1'100u : 1'000u;
  };
  DuetSide side;
  add_figures({calls_of(20, 100, service, kAllPlain)}, {.range = kRange, .turn_order = order},
              side);
  REQUIRE(side.carry_over.has_value());
  CHECK(*side.carry_over == Approx(std::log(1.1)).margin(1e-9));

  DuetSide few;
  add_figures({calls_of(2, 100, service, kAllPlain)}, {.range = kRange, .turn_order = "BAAB"}, few);
  CHECK_FALSE(few.carry_over.has_value());
}

TEST_CASE("the calls of several threads are one distribution, and each thread has figures") {
  const auto fast = calls_of(
      2, 100, [](std::uint32_t, std::uint32_t) { return 1'000u; }, kAllPlain);
  const auto slow = calls_of(
      2, 100, [](std::uint32_t, std::uint32_t i) { return i == 99 ? 9'000u : 2'000u; }, kAllPlain);
  DuetSide side;
  add_figures({fast, slow, fast},
              {.range = kRange, .turn_ns = 10'000'000, .dropped_per_turn = 20, .turn_order = "AA"},
              side);
  CHECK(side.events == 3 * 2 * 80);
  CHECK(side.dropped == 3 * 2 * 20);
  CHECK(side.service.p50_ns == 1'000);
  CHECK(decode_latency(side.response).count_between(1'500, 60'000'000'000) == 2 * 80);
  REQUIRE(side.threads);
  REQUIRE(side.threads->size() == 3);
  CHECK(side.threads->at(0).events == 160);
  CHECK(side.threads->at(0).response_ns_p50 == 1'000);
  CHECK(side.threads->at(1).response_ns_p50 == Approx(2'000).epsilon(1e-3));
  CHECK(side.threads->at(1).response_ns_p99 == Approx(9'000).epsilon(1e-3));
  // 600 calls in two turns of 10 ms, which all threads shared.
  CHECK(side.achieved_rate_hz == Approx(30'000).epsilon(1e-3));
}

TEST_CASE("a side with one thread that is late in turn after turn misses its rate") {
  const auto on_time = calls_of(
      10, 100, [](std::uint32_t, std::uint32_t) { return 1'000u; }, kAllPlain);
  const auto late = calls_of(
      10, 100, [](std::uint32_t, std::uint32_t i) { return i == 99 ? 300'000u : 1'000u; },
      kAllPlain);
  for (const bool one_is_late : {false, true}) {
    DuetSide side;
    add_figures({on_time, one_is_late ? late : on_time},
                {.range = kRange, .turn_ns = 10'000'000, .turn_order = std::string(10, 'A')}, side);
    CHECK(side.rate_missed == one_is_late);
  }
}

TEST_CASE("no calls give empty figures") {
  DuetSide side;
  add_figures({{}}, {.range = kRange, .turn_order = "AB"}, side);
  CHECK(side.events == 0);
  CHECK(side.service.count == 0);
  CHECK_FALSE(side.carry_over.has_value());
}

}  // namespace
}  // namespace tailgate
