#include "harness/run/scenario.h"

#include "scenarios/testing/catalog.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/base/error.h"

using namespace tailgate;

namespace {

Options options_of(const Scenario& scenario) {
  return Options(scenario.options(), scenario.name());
}

}  // namespace

TEST_CASE("every scenario's defaults are a possible load, and its options are documented") {
  for (const auto& scenario : test_catalog().scenarios.all()) {
    INFO(scenario->name());
    CHECK_FALSE(scenario->description().empty());
    const Options options = options_of(*scenario);
    for (const OptionSpec& spec : options.table()) CHECK_FALSE(spec.help.empty());
    const auto plan = scenario->next_step(options, {});
    REQUIRE(plan);
    CHECK_NOTHROW(check_load(*plan));
    CHECK(&test_catalog().scenarios.find(scenario->name()) == scenario.get());
  }
}

TEST_CASE("burst: the mean rate follows from burst size, interval and threads") {
  Options options = options_of(test_catalog().scenarios.find("burst"));
  options.set("burst_events", "200");
  options.set("burst_gap_s", "0.05");
  options.set("threads", "3");
  const auto plan = test_catalog().scenarios.find("burst").next_step(options, {});
  REQUIRE(plan);
  CHECK(plan->rate_hz == Approx(12'000));
}

TEST_CASE("batches: a closed loop with pauses") {
  Options options = options_of(test_catalog().scenarios.find("batches"));
  options.set("batch_calls", "30");
  options.set("pause_s", "0.01");
  const auto plan = test_catalog().scenarios.find("batches").next_step(options, {});
  REQUIRE(plan);
  CHECK(plan->shape == Shape::max);
  CHECK(plan->burst_events == 30);
  CHECK(plan->burst_gap_s == 0.01);
  // 3000 events a second would fill the pauses' space alone.
  CHECK(expected_events(*plan) < 30'000);
}

TEST_CASE("sweep: one step per rate, and it ends after the first saturated rate") {
  const Scenario& sweep = test_catalog().scenarios.find("sweep");
  Options options = options_of(sweep);
  options.set("rates_hz", "1k, 10k, 100k");
  CHECK(sweep.max_steps(options) == 3);
  std::vector<StepOutcome> before;
  for (double rate_hz : {1e3, 1e4}) {
    const auto plan = sweep.next_step(options, before);
    REQUIRE(plan);
    CHECK(plan->rate_hz == rate_hz);
    before.push_back({*plan});
  }
  CHECK(sweep.next_step(options, before));
  before.back().saturated = true;
  CHECK_FALSE(sweep.next_step(options, before));
  options.set("past_saturation", "true");
  CHECK(sweep.next_step(options, before));
  options.set("past_saturation", "false");
  before.back().by_machine = true;
  CHECK(sweep.next_step(options, before));
  before.back() = {.load = {}, .saturated = false, .failed = true};
  CHECK_FALSE(sweep.next_step(options, before));
}

TEST_CASE("rate lists are checked") {
  CHECK(parse_rates("5") == std::vector<double>{5});
  CHECK(parse_rates("1k,2.5k , 1M") == std::vector<double>{1000, 2500, 1e6});
  for (const char* text : {"", "1k,", "fast", "10,10", "2k,1k", "-5", "0"}) {
    CHECK_THROWS_AS(parse_rates(text), Error);
  }
}

TEST_CASE("events replace the duration") {
  Options options = options_of(test_catalog().scenarios.find("max"));
  options.set("events", "1000");
  const auto plan = test_catalog().scenarios.find("max").next_step(options, {});
  REQUIRE(plan);
  CHECK(plan->duration_s == 0);
  CHECK(plan->events == 1000);
}
