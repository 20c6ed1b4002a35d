// What the scenario stopped answers: of the harness, which must show the stops, of a load that
// hides them, and of a daemon whose callers do not wait for it.
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kStoppedSmoke = {
    {"rate_hz", "5000"}, {"stall_s", "0.1"}, {"stalls", "3"}, {"warmup_s", "0"}, {"trials", "2"}};

bool stops_are_possible(const Result& result) {
  return !(result.answer &&
           result.answer->sentence.find("nothing could be stopped") != std::string::npos);
}

TEST_CASE("stopped shows at least 80 % of a stop in the p90, by arithmetic") {
  const Result result = run_scenario("stopped", "synthetic", kStoppedSmoke);
  if (!stops_are_possible(result)) return;  // Windows stops no other process
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == true);
  CHECK_THAT(result.answer->sentence, Contains("`synthetic` shows a p90 of"));
  REQUIRE(result.answer->figures.size() == 3);
  CHECK(result.answer->figures[0].name == "p90_per_stop");
  CHECK(result.answer->figures[0].trials == 2);
  // Service times hide them: one call in a stop takes long.
  Result hidden = result;
  for (Trial& trial : hidden.trials) trial.response = trial.service;
  const auto of_hidden = test_catalog().scenarios.find("stopped").answer(hidden);
  REQUIRE(of_hidden);
  CHECK(of_hidden->holds == false);
  CHECK_THAT(of_hidden->sentence, Contains("these times hide the stops"));
}

TEST_CASE("stopped says that a closed loop hides the stops") {
  const Scenario& max = test_catalog().scenarios.find("max");
  Options options(max.options(), "scenario 'max'");
  for (const auto& [name, value] :
       {std::pair{"duration_s", "0.6"}, {"warmup_s", "0"}, {"trials", "1"}}) {
    options.set(name, value);
  }
  RunRequest request{
      .scenario = &max,
      .options = options,
      .sink = test_catalog().sinks.choice("synthetic:service_ns=100_000"),
      .preset = "",
      .actions = {{.what = ActionKind::stop, .at_s = 0.05, .for_s = 0.1, .every_s = 0.2}},
      .judge = &test_catalog().scenarios.find("stopped")};
  const Result result = run_request(std::move(request));
  if (!stops_are_possible(result)) return;
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->question == "stopped");
  CHECK(result.answer->holds == false);
}

TEST_CASE("stopped says that callers do not wait for a daemon that works for none of them",
          "[long]") {
  const SinkChoice sink = test_catalog().sinks.choice("synthetic:plant_daemon=true");
  if (!sink.type->probe(sink.options).available) return;
  auto settings = kStoppedSmoke;
  settings.emplace_back("who", "daemon");
  const Result result = run_scenario("stopped", sink.text, settings);
  REQUIRE(result.answer);
  CHECK_FALSE(result.answer->holds);
  CHECK_THAT(result.answer->sentence, Contains("while its daemon is stopped"));
  CHECK_THAT(result.answer->sentence, Contains("its callers do not wait for it."));
}

TEST_CASE("stopped says of a sink without a daemon that it has none") {
  auto settings = kStoppedSmoke;
  settings.emplace_back("who", "daemon");
  settings.emplace_back("trials", "1");
  const Result result = run_scenario("stopped", "synthetic", settings);
  REQUIRE(result.answer);
  CHECK_THAT(result.answer->sentence, Contains("nothing could be stopped"));
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"stop daemon: the sink has no process of its own"});
}

}  // namespace
}  // namespace tailgate
