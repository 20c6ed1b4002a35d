#include "harness/run/duet/loss_parts.h"

#include <catch2/catch.hpp>
#include <span>
#include <utility>
#include <vector>

namespace tailgate {
namespace {

LedgerAccount ledger(std::uint64_t emitted, std::vector<LossCount> losses) {
  LedgerAccount account;
  account.checked = true;
  account.emitted = emitted;
  account.losses = std::move(losses);
  for (const LossCount& loss : account.losses) account.lost += loss.events;
  account.delivered = emitted - account.lost;
  return account;
}

TEST_CASE("losses are cut by cause and reporter, and all of them are there") {
  const auto losses = loss_parts(ledger(
      20'000, {{"queue_full", "call", 30}, {"queue_full", "session", 10}, {"gap", "consumer", 1}}));
  REQUIRE(losses);
  CHECK(losses->whole == Approx(2050));
  CHECK(losses->parts.size() == 3);
  CHECK(losses->parts.at({"loss", "queue_full", "call"}) == Approx(1500));
  CHECK(losses->parts.at({"loss", "queue_full", "session"}) == Approx(500));
  CHECK(losses->parts.at({"loss", "gap", "consumer"}) == Approx(50));
}

TEST_CASE("losses that are not known are not 0") {
  CHECK_FALSE(loss_parts(ledger(0, {})));
  LedgerAccount contradicts = ledger(100, {});
  contradicts.unchecked_cause = "the session reports losses of events that were delivered";
  CHECK_FALSE(loss_parts(contradicts));
  CHECK(loss_parts(ledger(100, {}))->whole == 0);
}

DuetRound round(std::uint64_t lost_a, std::uint64_t lost_b) {
  DuetRound round;
  round.a.outcome = TrialOutcome::completed;
  round.b.outcome = TrialOutcome::completed;
  round.a.ledger = ledger(1'000'000, {{"overrun", "provider", lost_a}});
  round.b.ledger = ledger(1'000'000, {{"overrun", "provider", lost_b}});
  return round;
}

// Means: a sink that loses in one round of three has a median of 0.
TEST_CASE("without a trace the difference of losses is the mean over the whole rounds") {
  std::vector<DuetRound> rounds{round(0, 0), round(3, 3), round(10, 100)};
  rounds.push_back(round(0, 1000));
  rounds.back().b.outcome = TrialOutcome::killed;
  rounds.push_back(round(0, 1000));
  rounds.back().a.ledger.unchecked_cause = "nobody read it back";
  AmountSum sum;
  add_untraced_losses(rounds, sum);
  CHECK(sum.untraced == Approx(30));
  // Student's t of two degrees of freedom, 4.3027; the standard error of 0, 0 and 90 is 30.
  CHECK(*sum.untraced_high - 30 == Approx(4.3027 * 30).epsilon(1e-4));
  CHECK(30 - *sum.untraced_low == Approx(4.3027 * 30).epsilon(1e-4));

  AmountSum of_one;
  add_untraced_losses(std::span(rounds).subspan(2, 1), of_one);
  CHECK(of_one.untraced == Approx(90));
  CHECK_FALSE(of_one.untraced_low);
  AmountSum of_none;
  add_untraced_losses(std::span(rounds).subspan(3), of_none);
  CHECK_FALSE(of_none.untraced);
}

}  // namespace
}  // namespace tailgate
