// What the scenario disabled answers, on sinks whose calls cost a known time while nobody listens.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kDisabledSmoke = {
    {"duration_s", "0.2"}, {"warmup_s", "0.3"}, {"trials", "2"}, {"batch_calls", "50"}};

double cost_of(const Answer& answer, const std::string& name) {
  const auto figure = std::find_if(answer.figures.begin(), answer.figures.end(),
                                   [&](const AnswerFigure& one) { return one.name == name; });
  INFO(name << " in: " << answer.sentence);
  REQUIRE(figure != answer.figures.end());
  return figure->value;
}

TEST_CASE("disabled finds what a call costs while nobody listens, and while somebody does") {
  // The sink waits on the clock, so its calls are never shorter than planted; what it does besides
  // is in both sinks, and its difference is what was planted.
  const Result cheap =
      run_scenario("disabled", "synthetic:service_ns=9000:off_service_ns=1000", kDisabledSmoke);
  const Result dear =
      run_scenario("disabled", "synthetic:service_ns=9000:off_service_ns=3000", kDisabledSmoke);
  REQUIRE(cheap.answer);
  REQUIRE(dear.answer);
  INFO(cheap.answer->sentence << "\n" << dear.answer->sentence);
  CHECK(cheap.answer->question == "disabled");
  const double difference_ns =
      cost_of(*dear.answer, "off_cost_ns") - cost_of(*cheap.answer, "off_cost_ns");
  CHECK(difference_ns > 1900);
  CHECK(difference_ns < 2100);
  CHECK(cost_of(*cheap.answer, "off_cost_ns") > 900);
  CHECK(cost_of(*cheap.answer, "on_cost_ns") > 8900);
  CHECK_THAT(cheap.answer->sentence,
             Contains("A call of `synthetic:service_ns=9000:off_service_ns=1000`: while nobody "
                      "listens, it costs") &&
                 Contains("more than a call that does nothing; else it costs"));
  CHECK(cheap.answer->cannot.empty());
  for (const Trial& trial : cheap.trials) {
    CHECK(trial.ledger.unaccounted == 0);
    if (trial.step > 0) continue;
    // From the warm-up on nothing was recorded.
    REQUIRE(trial.ledger.switched_off);
    CHECK(*trial.ledger.switched_off >= trial.measured);
    CHECK(trial.switching->events->leaked == 0);
  }
}

TEST_CASE("disabled resolves no cost of a call that does nothing") {
  auto settings = kDisabledSmoke;
  settings.emplace_back("batch_calls", "1000");
  const Result result = run_scenario("disabled", "null", settings);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  // null cannot be switched, so its calls are those of a sink as its options say.
  CHECK_THAT(result.answer->sentence, Contains("A call of `null`: as its options say, it costs"));
  CHECK(std::abs(cost_of(*result.answer, "on_cost_ns")) <
        0.5 * cost_of(*result.answer, "nothing_ns"));
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"disable session: the sink cannot be switched while it runs"});
}

TEST_CASE("disabled says that no difference is resolved where the interval reaches zero",
          "[long]") {
  Result result = run_scenario("disabled", "synthetic:service_ns=9000", kDisabledSmoke);
  REQUIRE(result.answer);
  double sign = 1;
  for (Trial& trial : result.trials) {
    // A trial in which nothing took longer, and one in which it took shorter.
    trial.service = trial.floor.service;
    if (sign < 0) trial.floor.service = result.trials.back().floor.service;
    sign = -sign;
  }
  const auto answer = test_catalog().scenarios.find("disabled").answer(result);
  REQUIRE(answer);
  CHECK_THAT(answer->sentence, Contains("no difference from a call that does nothing is resolved"));
}

TEST_CASE("disabled needs a warm-up in which the session is disabled") {
  const Scenario& disabled = test_catalog().scenarios.find("disabled");
  Options options(disabled.options(), "scenario 'disabled'");
  options.set("warmup_s", "0");
  CHECK_THROWS_WITH(disabled.next_step(options, {}), Contains("warmup_s = 0"));
}

}  // namespace
}  // namespace tailgate
