// What the scenario capacity answers, on sinks whose highest rate is planted.
#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

TEST_CASE("capacity finds the rate at which a call takes all of the time there is") {
  // A call takes 2 ms or more, so 500 a second is the most that can be held, 505 within 1 %.
  const Result result = run_scenario("capacity", "synthetic:service_ns=2_000_000",
                                     {{"level_p99_9_ms", "200"},
                                      {"start_rate_hz", "100"},
                                      {"least_rate_hz", "20"},
                                      {"most_rate_hz", "2000"},
                                      {"precision_percent", "50"},
                                      {"duration_s", "0.4"},
                                      {"warmup_s", "0"},
                                      {"trials", "2"}});
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  if (answer.figures.empty()) {
    WARN("the machine was too busy for any rate");
    return;
  }
  const AnswerFigure& capacity = answer.figures.front();
  CHECK(capacity.name == "capacity_hz");
  CHECK(capacity.value <= 505);
  CHECK_THAT(answer.sentence, Contains("`synthetic:service_ns=2_000_000` holds a p99.9 of 200 ms"));
  CHECK_THAT(answer.sentence, Contains("of 2 trials"));
  if (answer.sentence.find("machine's fault") != std::string::npos) return;  // it can only be lower
  // 20 * 1.5^7 and 20 * 1.5^8: the rates of the search on both sides of 505.
  CHECK(capacity.low == Approx(341.7).epsilon(0.001));
  CHECK(capacity.high == Approx(512.6).epsilon(0.001));
}

TEST_CASE("capacity says so when no rate was too high", "[long]") {
  const Result result = run_scenario("capacity", "null",
                                     {{"level_p99_9_ms", "1000"},
                                      {"start_rate_hz", "50"},
                                      {"least_rate_hz", "50"},
                                      {"most_rate_hz", "200"},
                                      {"precision_percent", "100"},
                                      {"duration_s", "0.4"},
                                      {"warmup_s", "0"},
                                      {"trials", "2"}});
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  REQUIRE(result.answer->figures.size() == 1);
  CHECK(result.answer->figures[0].value == Approx(200));
  CHECK_FALSE(result.answer->figures[0].high);
  CHECK_THAT(result.answer->sentence, Contains("at no higher rate it failed"));
  CHECK(result.answer->cannot.size() == 1);  // nothing can be read back from it
}

TEST_CASE("capacity says so when the level holds at no rate", "[long]") {
  const Result result = run_scenario("capacity", "synthetic:lose_every=5",
                                     {{"start_rate_hz", "200"},
                                      {"least_rate_hz", "100"},
                                      {"most_rate_hz", "200"},
                                      {"precision_percent", "100"},
                                      {"duration_s", "0.2"},
                                      {"warmup_s", "0"},
                                      {"trials", "2"}});
  REQUIRE(result.answer);
  CHECK_THAT(result.answer->sentence, Contains("at none of the rates"));
  CHECK_THAT(result.answer->sentence, Contains("events lost in 2"));
  CHECK(result.answer->figures.empty());
}

TEST_CASE("capacity of threads and of processes, where those of a process wait for one another",
          "[long]") {
  // A call sleeps 10 ms: 100 a second at most, of a process however many threads it has.
  const Result result =
      run_scenario("capacity", "synthetic:service_ns=10_000_000:sleep=true:serial=process",
                   {{"threads", "1, 2"},
                    {"processes", "2"},
                    {"level_p99_9_ms", "500"},
                    {"start_rate_hz", "80"},
                    {"least_rate_hz", "20"},
                    {"most_rate_hz", "320"},
                    {"precision_percent", "100"},
                    {"duration_s", "0.25"},
                    {"warmup_s", "0"},
                    {"trials", "2"}});
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  std::map<std::string, double> capacity;
  for (const AnswerFigure& figure : answer.figures) capacity[figure.name] = figure.value;
  if (capacity.size() < 3) {
    WARN("the machine was too busy for any rate");
    return;
  }
  CHECK(capacity.at("capacity_hz") <= 80.1);
  CHECK(capacity.at("threads_2_capacity_hz") <= 80.1);
  CHECK(capacity.at("processes_2_capacity_hz") <= 160.1);
  CHECK_THAT(answer.sentence, Contains(" with one thread holds a p99.9 of 500 ms") &&
                                  Contains("; with 2 threads ") && Contains("; with 2 processes "));
  if (answer.sentence.find("machine's fault") != std::string::npos) return;  // it can only be lower
  CHECK(capacity.at("processes_2_capacity_hz") > capacity.at("threads_2_capacity_hz"));
}

TEST_CASE("capacity says which writers the sink cannot take, and goes on") {
  const Result result = run_scenario("capacity", "file:mode=mmap",
                                     {{"processes", "2"},
                                      {"level_p99_9_ms", "1000"},
                                      {"start_rate_hz", "50"},
                                      {"least_rate_hz", "50"},
                                      {"most_rate_hz", "100"},
                                      {"precision_percent", "100"},
                                      {"duration_s", "0.2"},
                                      {"warmup_s", "0"},
                                      {"trials", "2"}});
  CHECK(result.complete);
  REQUIRE(result.answer);
  CHECK(result.answer->cannot == std::vector<std::string>{"take events from several processes"});
}

TEST_CASE("capacity refuses rates that are not in order, and a single trial") {
  const Scenario& capacity = test_catalog().scenarios.find("capacity");
  Options options(capacity.options(), "scenario 'capacity'");
  options.set("start_rate_hz", "10M");
  CHECK_THROWS_WITH(capacity.next_step(options, {}), Contains("start_rate_hz"));
  options.set("start_rate_hz", "10k");
  options.set("trials", "1");
  CHECK_THROWS_WITH(capacity.next_step(options, {}), Contains("confirms nothing"));
}

}  // namespace
}  // namespace tailgate
