// What the scenario realtime answers, on sinks whose full buffer makes the writer wait, grows, or
// loses events, as planted.
#include <algorithm>
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kRealtimeSmoke = {
    {"rates_hz", "500,4000"}, {"duration_s", "0.8"}, {"warmup_s", "0"},
    {"stop_s", "0.1"},        {"stall_s", "0.4"},    {"trials", "2"}};

bool readers_stop(const Result& result) {
  return result.answer && result.answer->cannot.empty();
}

double least_of(const Answer& answer, const std::string& name) {
  const auto figure = std::find_if(answer.figures.begin(), answer.figures.end(),
                                   [&](const AnswerFigure& one) { return one.name == name; });
  INFO(name << " in: " << answer.sentence);
  REQUIRE(figure != answer.figures.end());
  return *figure->low;
}

TEST_CASE("realtime says that a slow reader alone pays where nothing is planted") {
  const Result result = run_scenario("realtime", "synthetic", kRealtimeSmoke);
  if (!readers_stop(result)) return;  // Windows stops no other process
  INFO(result.answer->sentence);
  CHECK_THAT(result.answer->sentence,
             Contains("`synthetic` delivers half and 99 % of its events within") &&
                 Contains("at 500 events/s and ") && Contains("at 4k events/s.") &&
                 Contains("A reader that is stopped half of the time at 4k events/s costs the "
                          "reader alone") &&
                 Contains("One that stands still once at 4k events/s costs the reader alone") &&
                 Contains("A second one that comes during the load at 4k events/s costs ") &&
                 Contains("It misses none."));
  CHECK(least_of(*result.answer, "at_500_hz_delivery_p50_ns") > 0);
  // A fifth of what comes in a stop waits longer than 80 ms of it.
  CHECK(least_of(*result.answer, "slow_delivery_p99_ns") > 80e6);
  CHECK(least_of(*result.answer, "stalled_delivery_p99_ns") > 350e6);
  CHECK(least_of(*result.answer, "stalled_lost_events") == 0);
  CHECK(least_of(*result.answer, "second_missing_events") == 0);
}

const std::vector<std::pair<std::string, std::string>> kSecondReader = {
    {"rates_hz", "500"}, {"duration_s", "0.6"}, {"warmup_s", "0"},
    {"stop_s", "0.1"},   {"stall_s", "0.1"},    {"trials", "2"}};

// Under Wine a process may take as long to start as this trial runs.
TEST_CASE("realtime finds that a second reader makes the writer's calls longer, as planted",
          "[long]") {
  // A call of 0.3 ms takes 4.8 ms beside a second reader. Of 200 calls two may be stalled by the
  // machine before that decides the others' p99.
  std::vector<std::pair<std::string, std::string>> options = kSecondReader;
  options[0].second = "200";
  options[1].second = "1";
  const Result result =
      run_scenario("realtime", "synthetic:service_ns=300_000:reader_percent=1500", options);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK_THAT(result.answer->sentence, Contains("A second one that comes during the load at 200 "
                                               "events/s costs the writer ("));
  CHECK(least_of(*result.answer, "second_response_p99_ns") >= 4.8e6);
  CHECK(least_of(*result.answer, "second_missing_events") == 0);
}

TEST_CASE(
    "realtime counts no call before the second reader had come: where the others take as "
    "long, it costs nobody",
    "[long]") {
  Result result = run_scenario("realtime", "synthetic", kSecondReader);
  const auto free = std::find_if(result.trials.begin(), result.trials.end(),
                                 [](const Trial& trial) { return !trial.actions; });
  REQUIRE(free != result.trials.end());
  // Calls are slow only while its process starts.
  Latency slow = free->response;
  slow.p99_ns = 10'000'000'000;
  for (Trial& trial : result.trials) {
    if (!trial.further) {
      trial.response = free->response;
      continue;
    }
    trial.response = slow;
    REQUIRE(trial.further->front().ready_ns);
    for (Interval& interval : trial.intervals) {
      const bool starts = interval.start_ns < *trial.further->front().ready_ns;
      interval.response = starts ? slow : free->response;
    }
  }
  const auto answer = test_catalog().scenarios.find("realtime").answer(result);
  REQUIRE(answer);
  CHECK_THAT(answer->sentence,
             Contains("A second one that comes during the load at 500 events/s costs nobody"));
}

TEST_CASE("realtime says nothing of a second reader that came too late", "[long]") {
  Result result = run_scenario("realtime", "synthetic:reader_percent=300", kSecondReader);
  for (Trial& trial : result.trials) {
    if (trial.further) trial.further->front().ready_ns = trial.end_ns - 1;
  }
  const auto answer = test_catalog().scenarios.find("realtime").answer(result);
  REQUIRE(answer);
  INFO(answer->sentence);
  CHECK(answer->sentence.find("A second one") == std::string::npos);
  REQUIRE(answer->cannot.size() == 1);
  CHECK_THAT(answer->cannot.front(), Contains("no interval of the load began after it had come"));
}

TEST_CASE("realtime says of a path that one consumer reads that a second cannot", "[long]") {
  auto settings = kSecondReader;
  settings.back().second = "1";
  const Result result = run_scenario("realtime", "synthetic:reader_room_events=100_000", settings);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  const auto& cannot = result.answer->cannot;
  CHECK(std::find(cannot.begin(), cannot.end(),
                  "start consumer: only one consumer can read the sink while the load runs") !=
        cannot.end());
  CHECK_THAT(result.answer->sentence, !Contains("A second one"));
}

TEST_CASE("realtime finds who pays for a reader that stands still", "[long]") {
  // In 0.4 s come 1,600 events, and the buffer holds 400.
  const auto [how, words, unpaid] = GENERATE(std::tuple{"lose", "costs the data (", "writer"},
                                             std::tuple{"wait", "costs the writer (", "data"},
                                             std::tuple{"grow", "costs memory (", "data"});
  const std::string sink = std::string("synthetic:reader_room_events=400:reader_full=") + how;
  auto settings = kRealtimeSmoke;
  settings.front().second = "4000";
  const Result result = run_scenario("realtime", sink, settings);
  if (!readers_stop(result)) return;
  INFO(result.answer->sentence);
  const std::string stalled =
      result.answer->sentence.substr(result.answer->sentence.find("One that stands still"));
  CHECK_THAT(stalled, Contains(words));
  CHECK_THAT(stalled, !Contains(unpaid));
  for (const Trial& trial : result.trials) CHECK(trial.ledger.unaccounted == 0);
}

TEST_CASE("realtime says of a sink that cannot be read during the load that nobody can") {
  auto settings = kRealtimeSmoke;
  settings.emplace_back("trials", "1");
  settings.emplace_back("duration_s", "0.3");
  settings.emplace_back("stall_s", "0.1");
  const Result result = run_scenario("realtime", "null", settings);
  REQUIRE(result.answer);
  CHECK_THAT(result.answer->sentence, Contains("`null`: nobody can read while the load runs."));
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"stop consumer: no consumer reads while the load runs",
                                 "start consumer: no consumer reads while the load runs"});
}

}  // namespace
}  // namespace tailgate
