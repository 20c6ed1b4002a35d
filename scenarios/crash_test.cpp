// What the scenario crash answers, on sinks that lose a known number of events when they are
// killed.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kSmoke = {
    {"rate_hz", "5000"}, {"duration_s", "0.3"}, {"warmup_s", "0"},    {"kill_at_s", "0.1"},
    {"spread_s", "0.1"}, {"trials", "2"},       {"stopped_s", "0.05"}};

const AnswerFigure& figure(const Answer& answer, const std::string& name) {
  for (const AnswerFigure& figure : answer.figures) {
    if (figure.name == name) return figure;
  }
  FAIL("no figure " << name << " in: " << answer.sentence);
  throw std::logic_error("unreachable");
}

TEST_CASE("crash finds the events that a sink keeps in its program, killed or stopped before") {
  const Result result = run_scenario("crash", "synthetic:kill_loses_events=40", kSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.question == "crash");
  // One fewer, where the kill hit the call that stores the oldest.
  CHECK(*figure(answer, "program_gone_events").low >= 39);
  CHECK(*figure(answer, "program_gone_events").high <= 40);
  CHECK(figure(answer, "program_gone_events").trials == 2);
  CHECK(figure(answer, "program_gone_ns").value > 0);
  CHECK_THAT(answer.sentence,
             Contains("At 5k events/s `synthetic:kill_loses_events=40` loses the last"));
  CHECK_THAT(answer.sentence, Contains("when its program is killed (2 trials)"));
  for (const char* what : {"kill daemon", "kill both"}) {
    CHECK(std::count(answer.cannot.begin(), answer.cannot.end(),
                     std::string(what) + ": the sink has no process of its own") == 1);
  }
  CHECK(result.complete);
}

TEST_CASE("crash says that nothing is lost where nothing is") {
  auto settings = kSmoke;
  settings.emplace_back("who", "program");
  const Result result = run_scenario("crash", "synthetic", settings);
  REQUIRE(result.answer);
  CHECK_THAT(result.answer->sentence,
             Contains("At 5k events/s `synthetic` loses nothing when its program is killed"));
  CHECK(figure(*result.answer, "program_gone_events").high == 0);
  CHECK(result.answer->cannot.empty());
}

TEST_CASE("crash names its victims once each") {
  const Scenario& crash = test_catalog().scenarios.find("crash");
  Options options(crash.options(), "scenario 'crash'");
  for (const char* who : {"", "program,program", "daemons", "program,"}) {
    options.set("who", who);
    CHECK_THROWS_AS(crash.next_step(options, {}), Error);
  }
  options.set("who", "both, stopped");
  CHECK(crash.max_steps(options) == 2);
  CHECK(crash.actions(options, 0).at(0).who == ActionTarget::both);
  CHECK(crash.actions(options, 1).at(0).what == ActionKind::stop);
}

}  // namespace
}  // namespace tailgate
