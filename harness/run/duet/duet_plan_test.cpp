#include "harness/run/duet/duet_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Catch::Contains;

LoadPlan steady(double rate_hz) {
  LoadPlan load;
  load.rate_hz = rate_hz;
  return load;
}

TEST_CASE("a round has about a second per side, in turns of 20 ms") {
  const TurnPlan plan = plan_turns(steady(20'000), false, {});
  CHECK(plan.length_ns == 20'000'000);
  CHECK(plan.warmup == 2);
  CHECK(plan.count == 52);
  CHECK(plan.max_calls >= 20'000);
  CHECK(plan.max_calls < 40'000);
}

TEST_CASE("with drains, turns are longer and fewer") {
  const TurnPlan plan = plan_turns(steady(20'000), true, {});
  CHECK(plan.length_ns == 50'000'000);
  CHECK(plan.count - plan.warmup == 18);
}

TEST_CASE("a turn has at least 200 events, or four bursts") {
  CHECK(plan_turns(steady(1'000), false, {}).length_ns == 200'000'000);
  CHECK(plan_turns(steady(1'000), false, {}).count == 5 + 2);
  LoadPlan burst;
  burst.shape = Shape::burst;
  burst.burst_events = 100;
  burst.burst_gap_s = 0.05;
  const TurnPlan plan = plan_turns(burst, false, {});
  CHECK(plan.length_ns == 200'000'000);
  CHECK(plan.max_calls >= 5 * 500);
}

TEST_CASE("the user may choose the turns") {
  const TurnPlan plan =
      plan_turns(steady(10'000), true, {.turn_ms = 10, .turns = 7, .warmup_turns = 0});
  CHECK(plan.length_ns == 10'000'000);
  CHECK(plan.count == 7);
}

TEST_CASE("loads that cannot be divided into turns are refused with a remedy") {
  LoadPlan ramp = steady(1000);
  ramp.shape = Shape::ramp;
  CHECK_THROWS_WITH(plan_turns(ramp, false, {}), Contains("ramp"));
  LoadPlan batches = steady(1000);
  batches.shape = Shape::max;
  batches.burst_events = 20;
  batches.burst_gap_s = 0.001;
  CHECK_THROWS_WITH(plan_turns(batches, false, {}), Contains("batches"));
  CHECK_THROWS_WITH(plan_turns(steady(1000), false, {.turn_ms = 20, .turns = {}}),
                    Contains("20 events") && Contains("--turn-ms"));
  CHECK_THROWS_WITH(plan_turns(steady(1e6), false, {.turn_ms = 1000, .turns = 50}),
                    Contains("--turns"));
}

TEST_CASE("several threads share the rate, and each has 200 events in a turn") {
  LoadPlan load = steady(20'000);
  load.threads = 4;
  const TurnPlan plan = plan_turns(load, false, {});
  CHECK(plan.length_ns == 40'000'000);
  CHECK(plan.count - plan.warmup == 25);
  CHECK(plan.max_calls >= 5'000);  // of each
  CHECK(plan.max_calls < 12'000);
  load.shape = Shape::max;
  CHECK(plan_turns(load, false, {}).max_calls == 250'000);
  load.shape = Shape::steady;
  load.rate_hz = 1e6;
  CHECK_THROWS_WITH(plan_turns(load, false, {.turn_ms = 1000, .turns = 50}), Contains("--turns"));
}

TEST_CASE("a closed loop's log is bounded") {
  LoadPlan load;
  load.shape = Shape::max;
  CHECK(plan_turns(load, false, {}).max_calls == 1'000'000);
}

TEST_CASE("two loads get the longer turns and the smaller number of turns") {
  const TurnPlan plan = common_turns(steady(1'000), steady(50'000), false, {});
  CHECK(plan.length_ns == 200'000'000);
  CHECK(plan.count - plan.warmup == 5);
  CHECK(plan.max_calls >= 50'000);
}

TEST_CASE("the load of a side is the sum over its turns") {
  const TurnPlan plan = plan_turns(steady(20'000), false, {});
  const LoadPlan load = load_in_turns(steady(20'000), plan);
  CHECK(load.duration_s == Approx(1.0));
  CHECK(load.warmup_s == Approx(0.04));
  CHECK(expected_events(load) >= 20'800);
}

TEST_CASE("the order depends only on seed and round") {
  const RoundOrder order = round_order(5, 3, 50, 2);
  const RoundOrder again = round_order(5, 3, 50, 2);
  CHECK(order.turns == again.turns);
  CHECK(order.warmup == again.warmup);
  CHECK(order.a_first == again.a_first);
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (unsigned round = 0; round < 10; ++round) {
      orders.insert(round_order(seed, round, 50, 2).turns);
    }
  }
  CHECK(orders.size() == 100);
}

TEST_CASE("each pair has one turn of each side, and their order is random") {
  unsigned a_before_b = 0;
  unsigned a_started = 0;
  constexpr unsigned kRounds = 400;
  for (unsigned round = 0; round < kRounds; ++round) {
    const RoundOrder order = round_order(1, round, 50, 2);
    REQUIRE(order.turns.size() == 100);
    REQUIRE(order.warmup.size() == 4);
    a_started += order.a_first ? 1 : 0;
    for (std::size_t pair = 0; pair < 50; ++pair) {
      const std::string both = order.turns.substr(2 * pair, 2);
      REQUIRE((both == "AB" || both == "BA"));
      a_before_b += both == "AB" ? 1 : 0;
    }
  }
  // Five standard deviations of a fair coin.
  CHECK(a_before_b == Approx(kRounds * 25).margin(5 * 70.7));
  CHECK(a_started == Approx(kRounds / 2).margin(5 * 10));
}

TEST_CASE("a share of a generation's rounds lives long, and a look ends a generation") {
  const auto plan = [](unsigned rounds, unsigned long_rounds) {
    const Generation generation = plan_generation(rounds, long_rounds);
    CHECK(generation.fresh > 0);
    return std::pair(generation.rounds(), generation.long_lived);
  };
  using Pair = std::pair<unsigned, unsigned>;
  CHECK(plan(15, 5) == Pair(15, 5));
  CHECK(plan(20, 5) == Pair(20, 5));
  CHECK(plan(30, 5) == Pair(15, 5));
  CHECK(plan(50, 5) == Pair(17, 5));  // then 17 and 16
  CHECK(plan(5, 5) == Pair(5, 1));
  CHECK(plan(1, 14) == Pair(1, 0));
  CHECK(plan(15, 0) == Pair(15, 0));
  CHECK(plan(15, 14) == Pair(15, 14));
}

TEST_CASE("a longer generation has as large a share of long rounds, as far as rounds are left") {
  const auto plan = [](unsigned rounds) {
    const Generation generation = plan_generation(rounds, 8, 60);
    return std::pair(generation.rounds(), generation.long_lived);
  };
  using Pair = std::pair<unsigned, unsigned>;
  CHECK(plan(60) == Pair(60, 32));
  CHECK(plan(70) == Pair(70, 32));
  CHECK(plan(140) == Pair(70, 32));
  CHECK(plan(30) == Pair(30, 16));
}

TEST_CASE("visits divide a round's turns without a rest, and never a pair") {
  for (const std::size_t pairs : {std::size_t{4}, std::size_t{18}, std::size_t{50}}) {
    for (const unsigned visits : {1u, 3u, 10u, 60u}) {
      const std::string order = round_order(1, 0, static_cast<unsigned>(pairs), 0).turns;
      std::string all;
      std::size_t most = 0;
      std::size_t least = order.size();
      for (unsigned i = 0; i < visits; ++i) {
        const Visit visit = plan_visit(order, i, visits);
        CHECK(visit.first == all.size());
        CHECK(visit.turns % 2 == 0);
        all += order.substr(visit.first, visit.turns);
        most = std::max(most, visit.turns);
        least = std::min(least, visit.turns);
      }
      CHECK(all == order);
      CHECK(most - least <= 2);
    }
  }
}

}  // namespace
}  // namespace tailgate
