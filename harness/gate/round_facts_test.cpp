#include "harness/gate/round_facts.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/gate/calibration.h"
#include "harness/gate/gate.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

const FactSeries& fact(const std::vector<FactSeries>& facts, std::string_view name) {
  for (const FactSeries& series : facts) {
    if (series.name == name) return series;
  }
  FAIL("no fact " << name);
  return facts.front();
}

Duet duet_of(unsigned rounds) {
  SampleDuet sample;
  sample.rounds = rounds;
  return sample_duet(sample);
}

TEST_CASE("facts are those of the completed rounds, and of a round that lacks one not a number") {
  Duet duet = duet_of(4);
  duet.rounds[0].a.outcome = TrialOutcome::crashed;
  duet.rounds[1].a_started_first = true;
  duet.rounds[2].a_started_first = false;
  duet.rounds[1].duration_ns = 2'000'000'000;
  duet.rounds[2].stolen_ns = 30'000'000;
  duet.rounds[3].noise = Noise{.observed_ns = 5'000'000, .gaps_over_10us = 7, .gaps_over_100us = 2};
  const std::vector<FactSeries> facts = fact_series(duet);
  CHECK(fact(facts, "a_started_first").values[0] == 1);
  CHECK(fact(facts, "a_started_first").values[1] == 0);
  CHECK(fact(facts, "duration_ns").values[0] == 2e9);
  CHECK(std::isnan(fact(facts, "stolen_ns").values[0]));
  CHECK(fact(facts, "stolen_ns").values[1] == 3e7);
  CHECK(std::isnan(fact(facts, "gaps_over_10us").values[1]));
  CHECK(fact(facts, "gaps_over_10us").values[2] == 7);
  CHECK(fact(facts, "gaps_over_100us").values[2] == 2);
  for (const FactSeries& series : facts) CHECK(series.values.size() == 3);
}

TEST_CASE("a fact of no round is not recorded") {
  Duet duet = duet_of(3);
  for (DuetRound& round : duet.rounds) round.a_made_first.reset();
  for (const FactSeries& series : fact_series(duet)) {
    CHECK(series.name != "stolen_ns");
    CHECK(series.name != "a_made_first");
  }
}

TEST_CASE("the coins of a record are those of its duet, and none where a round has none") {
  Duet duet = duet_of(5);
  for (std::size_t i = 0; i < duet.rounds.size(); ++i) {
    duet.rounds[i].a_started_first = i % 2 == 0;
    duet.rounds[i].a_made_first = i > 2;
    duet.rounds[i].layout_pair = static_cast<unsigned>(i / 2);
  }
  const RoundCoins coins = round_coins(duet);
  RoundCoins recorded = recorded_coins(fact_series(duet));
  CHECK(recorded.a_started_first == coins.a_started_first);
  CHECK(recorded.a_made_first == coins.a_made_first);
  CHECK(recorded.layout_pairs == Clusters{0, 0, 1, 1, 2});
  CHECK(recorded.layout_pairs == coins.layout_pairs);
  duet.rounds[4].a_made_first.reset();
  recorded = recorded_coins(fact_series(duet));
  CHECK(recorded.a_made_first.empty());
  CHECK(recorded.a_started_first.size() == 5);
}

// The side that starts first is 40 % faster, which the coin explains: without it the record would
// leave open what its duet decided.
TEST_CASE("a recorded run is decided with its coins") {
  Duet duet = duet_of(50);
  for (std::size_t i = 0; i < duet.rounds.size(); ++i) {
    DuetRound& round = duet.rounds[i];
    round.a_started_first = i % 3 != 0;
    DuetSide& late = round.a_started_first ? round.b : round.a;
    late.trimmed_mean_ns *= 1.4;
  }
  const Verdict verdict = judge(duet, default_policy(), "2026-06-01");
  CalibrationRun run = calibration_run(duet, verdict, "file", kPlantedNothing, 1);
  CHECK(run.outcome == "pass");
  CHECK(outcome_under(run, default_policy()) == "pass");
  run.facts.clear();
  CHECK(outcome_under(run, default_policy()) != "pass");
}

}  // namespace
}  // namespace tailgate
