#include "harness/run/duet/loss_difference.h"

#include <catch2/catch.hpp>

#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

// Rounds of 10,000 events; losses by cause are added by each test.
Duet duet_without_losses() {
  Duet duet = sample_duet(SampleDuet());
  duet.rounds.resize(4);
  for (DuetRound& round : duet.rounds) {
    for (DuetSide* side : {&round.a, &round.b}) {
      side->ledger.emitted = 10'000;
      side->ledger.lost = 0;
      side->ledger.losses.clear();
    }
  }
  return duet;
}

void lose(DuetSide& side, const char* cause, const char* reported_by, std::uint64_t events) {
  side.ledger.losses.push_back({cause, reported_by, events});
  side.ledger.lost += events;
}

TEST_CASE("the cause whose losses grew comes first, and the causes add up") {
  Duet duet = duet_without_losses();
  for (std::uint64_t i = 0; i < 4; ++i) {
    lose(duet.rounds[i].a, "queue full", "provider", 10);
    lose(duet.rounds[i].b, "queue full", "provider", 40 + i);
    lose(duet.rounds[i].b, "refused", "call", i % 2);
  }
  const auto difference = loss_difference(duet);
  REQUIRE(difference);
  REQUIRE(difference->causes.size() == 2);
  const LossPart& first = difference->causes[0];
  CHECK(first.cause == "queue full");
  CHECK(first.reported_by == "provider");
  CHECK(first.a_per_million == Approx(1000));
  CHECK(first.difference_per_million == Approx(3150));
  // Differences of 3000, 3100, 3200, 3300: a standard error of 64.5, and t = 3.182.
  CHECK(*first.low_per_million == Approx(3150 - 3.182 * 64.55).epsilon(0.001));
  CHECK(first.distinct);
  CHECK_FALSE(difference->causes[1].distinct);
  CHECK(difference->all.difference_per_million ==
        Approx(3150 + difference->causes[1].difference_per_million));
}

TEST_CASE(
    "without losses there is no difference of them, and rounds without a count do not count") {
  Duet duet = duet_without_losses();
  CHECK_FALSE(loss_difference(duet));
  lose(duet.rounds[0].b, "queue full", "provider", 5);
  duet.rounds[0].b.ledger.unchecked_cause = "nobody read";
  CHECK_FALSE(loss_difference(duet));
  duet.rounds[0].b.ledger.unchecked_cause.reset();
  duet.rounds.resize(1);
  REQUIRE(loss_difference(duet));
  CHECK_FALSE(loss_difference(duet)->all.low_per_million);
  duet.rounds.clear();
  CHECK_FALSE(loss_difference(duet));
}

}  // namespace
}  // namespace tailgate
