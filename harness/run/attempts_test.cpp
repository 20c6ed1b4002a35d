#include "harness/run/attempts.h"

#include <catch2/catch.hpp>

#include "harness/result/latency.h"

namespace tailgate {
namespace {

using Catch::Contains;

// The trials of one attempt at a step of 1000 events/s, with a control trial each.
void add_attempt(Result& result, unsigned step, double achieved_rate_hz, bool by_machine) {
  for (int i = 0; i < 2; ++i) {
    Trial trial;
    trial.index = static_cast<unsigned>(result.trials.size());
    trial.step = step;
    trial.outcome = TrialOutcome::completed;
    trial.load.rate_hz = 1000;
    trial.achieved_rate_hz = achieved_rate_hz;
    trial.rate_missed = achieved_rate_hz < 990;
    if (trial.rate_missed) trial.missed_by_machine = by_machine;
    trial.intervals.resize(3);
    trial.neighbours.emplace();
    trial.neighbours->observed_ns = 1'000'000'000;
    trial.neighbours->processes = {{"cc1plus", 0.4}};
    result.trials.push_back(trial);
    result.controls.push_back(trial);
  }
  result.summary = summarize(result);
}

std::vector<double> rates_of(const std::vector<Trial>& trials) {
  std::vector<double> rates;
  for (const Trial& trial : trials) rates.push_back(trial.achieved_rate_hz);
  return rates;
}

using Rates = std::vector<double>;

TEST_CASE("a step that held its rate, or missed it by the sink's fault, is not run again") {
  for (const double achieved_rate_hz : {1000.0, 500.0}) {
    Result result;
    StepAttempts attempts;
    add_attempt(result, 0, achieved_rate_hz, false);
    CHECK_FALSE(attempts.run_again(result, 0));
    attempts.end(result, 0, true);
    CHECK(result.trials.size() == 2);
    CHECK(result.remarks.empty());
    CHECK_FALSE(result.set_aside);
  }
}

TEST_CASE("the attempt that held the rate is kept, and the other is set aside") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 1000, false);
  add_attempt(result, 1, 700, true);
  REQUIRE(attempts.run_again(result, 1));
  CHECK(attempts.number() == 2);
  CHECK(attempts.takers() == "cc1plus");
  CHECK(rates_of(result.trials) == Rates{1000, 1000});
  CHECK(rates_of(result.controls) == Rates{1000, 1000});
  REQUIRE(result.set_aside);
  CHECK(rates_of(*result.set_aside) == Rates{700, 700});
  CHECK(result.set_aside->at(0).intervals.empty());

  add_attempt(result, 1, 998, false);
  CHECK_FALSE(attempts.run_again(result, 1));
  attempts.end(result, 1, true);
  CHECK(attempts.number() == 1);
  CHECK(rates_of(result.trials) == Rates{1000, 1000, 998, 998});
  CHECK(rates_of(result.controls) == Rates{1000, 1000, 998, 998});
  for (unsigned i = 0; i < 4; ++i) CHECK(result.trials[i].index == i);
  CHECK(rates_of(*result.set_aside) == Rates{700, 700});
  REQUIRE(result.remarks.size() == 1);
  CHECK_THAT(result.remarks[0].what,
             Contains("at 1000 events/s it ran 2 times, since cc1plus took the load's processor") &&
                 Contains("attempt 2 is kept: it held the rate"));
}

TEST_CASE("after three attempts the one that came nearest is kept, and it is said whose fault") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 700, true);
  REQUIRE(attempts.run_again(result, 0));
  add_attempt(result, 0, 900, true);
  REQUIRE(attempts.run_again(result, 0));
  CHECK(attempts.number() == kMostAttempts);
  add_attempt(result, 0, 800, true);
  CHECK_FALSE(attempts.run_again(result, 0));
  attempts.end(result, 0, true);
  CHECK(rates_of(result.trials) == Rates{900, 900});
  CHECK(result.trials[0].intervals.size() == 3);
  CHECK(rates_of(*result.set_aside) == Rates{700, 700, 800, 800});
  CHECK_THAT(result.remarks.at(0).what, Contains("ran 3 times") && Contains("attempt 2 is kept") &&
                                            Contains("with 900 events/s") &&
                                            Contains("the machine's fault, not the sink's"));
}

TEST_CASE("an attempt that is the sink's fault ends the step") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 700, true);
  REQUIRE(attempts.run_again(result, 0));
  add_attempt(result, 0, 800, false);
  CHECK_FALSE(attempts.run_again(result, 0));
  attempts.end(result, 0, true);
  CHECK(rates_of(result.trials) == Rates{800, 800});
  CHECK_THAT(result.remarks.at(0).what, !Contains("fault"));
}

TEST_CASE("an attempt with events that nobody accounts for is neither repeated nor set aside") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 700, true);
  SECTION("the first") {
    result.trials[1].ledger.unaccounted = 5;
    CHECK_FALSE(attempts.run_again(result, 0));
  }
  SECTION("the second, which came less near") {
    REQUIRE(attempts.run_again(result, 0));
    add_attempt(result, 0, 600, true);
    result.trials[1].outcome = TrialOutcome::crashed;
    CHECK_FALSE(attempts.run_again(result, 0));
    attempts.end(result, 0, true);
    CHECK(rates_of(result.trials) == Rates{600, 600});
    CHECK_THAT(result.remarks.at(0).what, Contains("not all of its trials went well"));
  }
}

TEST_CASE("what the attempts that are set aside lost is said") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 700, true);
  result.trials[0].ledger.lost = 7;
  REQUIRE(attempts.run_again(result, 0));
  add_attempt(result, 0, 1000, true);
  attempts.end(result, 0, true);
  CHECK_THAT(result.remarks.at(0).what, Contains("set aside lost 7 events"));
}

TEST_CASE("an attempt that was interrupted gives way to a whole one") {
  Result result;
  StepAttempts attempts;
  add_attempt(result, 0, 700, true);
  REQUIRE(attempts.run_again(result, 0));
  SECTION("in its first trial") {
    result.summary = summarize(result);
    attempts.end(result, 0, false);
    CHECK_FALSE(result.set_aside);
    CHECK(result.remarks.empty());
  }
  SECTION("later") {
    add_attempt(result, 0, 1000, false);
    attempts.end(result, 0, false);
    CHECK(rates_of(*result.set_aside) == Rates{1000, 1000});
  }
  CHECK(rates_of(result.trials) == Rates{700, 700});
}

}  // namespace
}  // namespace tailgate
