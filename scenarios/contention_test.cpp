// What the scenario contention answers, on sinks that serialise calls, slow one writer down or
// change events as planted.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

// A call sleeps 20 ms, so one writer gets 50 events/s at most, and so do all that wait for one
// another.
constexpr double kMostOfOneHz = 50;

Result contended(const std::string& sink, const std::string& threads, const std::string& processes,
                 const std::string& duration_s = "0.4") {
  return run_scenario("contention", "synthetic:service_ns=20_000_000:sleep=true" + sink,
                      {{"threads", threads},
                       {"processes", processes},
                       {"payload", "64"},
                       {"duration_s", duration_s},
                       {"warmup_s", "0"},
                       {"trials", "2"}});
}

TEST_CASE("contention: writers that do not wait for one another get more than one can", "[long]") {
  const Result result = contended("", "4", "4");
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(figure_of(answer, "threads_1_rate_hz").value <= kMostOfOneHz);
  CHECK(figure_of(answer, "threads_4_rate_hz").value > 1.2 * kMostOfOneHz);
  CHECK(figure_of(answer, "processes_4_rate_hz").value > 1.2 * kMostOfOneHz);
  CHECK(figure_of(answer, "threads_4_worst_p99_ns").low >= 20e6);
  CHECK(answer.holds == true);
  CHECK(answer.cannot.empty());
  CHECK_THAT(answer.sentence, Contains("with 4 threads") && Contains("with 4 processes") &&
                                  Contains("none is torn"));
}

TEST_CASE("contention: a lock in each process holds up threads, not processes", "[long]") {
  const Result result = contended(":serial=process", "4", "4");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  const AnswerFigure& threads = figure_of(*result.answer, "threads_4_rate_hz");
  CHECK(threads.high <= kMostOfOneHz);
  CHECK(figure_of(*result.answer, "processes_4_rate_hz").value > 1.2 * kMostOfOneHz);
  // Each call waits for three others.
  CHECK(figure_of(*result.answer, "threads_4_worst_p99_ns").low >= 60e6);
}

TEST_CASE("contention: a lock of the session holds up processes as well", "[long]") {
  const Result result = contended(":serial=session", "1", "4");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(figure_of(*result.answer, "processes_4_rate_hz").high <= kMostOfOneHz);
  CHECK(figure_of(*result.answer, "processes_4_worst_p99_ns").low >= 60e6);
}

TEST_CASE("contention: a writer that gets less shows in the fairness", "[long]") {
  const Result result = contended(":first_thread_percent=300", "4", "1", "0.8");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  // Shares of 1/4, 1, 1 and 1: (3.25)^2 / (4 * 3.0625).
  CHECK(figure_of(*result.answer, "threads_4_fairness").value == Approx(0.862).margin(0.08));
  CHECK(figure_of(*result.answer, "threads_4_least_share").value == Approx(0.308).margin(0.1));
  CHECK_THAT(result.answer->sentence, Contains("unevenly shared"));
}

TEST_CASE("contention: events that come back changed or not at all are told", "[long]") {
  const Result torn = contended(":corrupt_every=5", "1", "2");
  REQUIRE(torn.answer);
  CHECK(torn.answer->holds == false);
  CHECK_THAT(torn.answer->sentence, Contains("torn"));
  const Result lost = contended(":lose_every=5", "1", "2");
  REQUIRE(lost.answer);
  CHECK(lost.answer->holds == false);
  CHECK_THAT(lost.answer->sentence, Contains("were lost and 0 torn"));
}

TEST_CASE("contention: two programs write to one file, and what cannot be shared is listed") {
  const std::vector<std::pair<std::string, std::string>> settings = {
      {"threads", "1"},      {"processes", "2"}, {"rate_hz", "500"},
      {"duration_s", "0.3"}, {"warmup_s", "0"},  {"trials", "2"}};
  const Result shared = run_scenario("contention", "file:mode=write", settings);
  REQUIRE(shared.answer);
  INFO(shared.answer->sentence);
  if (shared.sink.multi_process.value_or(false)) {
    CHECK(shared.answer->holds == true);
    CHECK_THAT(shared.answer->sentence, Contains("All 600 events of several writers came back"));
  }
  const Result alone = run_scenario("contention", "file:mode=mmap", settings);
  CHECK(alone.complete);
  REQUIRE(alone.answer);
  CHECK_FALSE(alone.answer->holds);
  CHECK(alone.answer->cannot == std::vector<std::string>{"take events from several processes"});
  CHECK(alone.trials.size() == 2);
}

Result joined(const std::string& sink) {
  return run_scenario("contention", sink,
                      {{"threads", "1"},
                       {"processes", "1"},
                       {"joins", "true"},
                       {"rate_hz", "30"},
                       {"duration_s", "0.9"},
                       {"warmup_s", "0"},
                       {"trials", "2"}});
}

// Under Wine a process may take as long to start as this trial runs.
TEST_CASE("contention: a second program that joins in makes the first wait, as planted", "[long]") {
  // Two writers of 30 events/s each find one lock that serves 40.
  const Result result = joined("synthetic:service_ns=25_000_000:sleep=true:serial=session");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(figure_of(*result.answer, "joined_first_p99_ns").low >= 50e6);
  CHECK(figure_of(*result.answer, "joined_missing_events").high == 0);
  CHECK_THAT(result.answer->sentence, Contains("When a second program joins in, the p99 of the "
                                               "first is") &&
                                          !Contains("not clearly longer"));
  CHECK(result.answer->holds == true);
}

TEST_CASE("contention: a second program that joins in costs nothing where nothing is planted",
          "[long]") {
  const Result result = joined("synthetic:service_ns=25_000_000:sleep=true");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK_THAT(result.answer->sentence, Contains("not clearly longer"));
  CHECK(result.answer->holds == true);
}

TEST_CASE("contention: a path that one process writes to says that no other can join in",
          "[long]") {
  const Result result = joined("file:mode=mmap");
  REQUIRE(result.answer);
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"start program: the sink takes no events from a further process "
                                 "while the load runs"});
}

// A result of three trials each of one thread and of two, with these rates.
Result writers_result(const std::vector<double>& of_one_hz, const std::vector<double>& of_two_hz) {
  Result result;
  result.scenario.name = "contention";
  result.sink.label = "x";
  result.sink.read_back = true;
  const auto add = [&](unsigned threads, double rate_hz) {
    Trial trial;
    trial.step = threads - 1;
    trial.outcome = TrialOutcome::completed;
    trial.load.shape = Shape::max;
    trial.load.threads = threads;
    trial.measured = 100;
    trial.achieved_rate_hz = rate_hz;
    trial.response.p99_ns = 1'000;
    trial.ledger.checked = true;
    trial.ledger.emitted = trial.ledger.delivered = 100;
    result.trials.push_back(trial);
  };
  for (const double rate_hz : of_one_hz) add(1, rate_hz);
  for (const double rate_hz : of_two_hz) add(2, rate_hz);
  return result;
}

TEST_CASE("contention: as many events as with one writer are no difference") {
  const Scenario& contention = test_catalog().scenarios.find("contention");
  const auto same = contention.answer(writers_result({1000, 1010, 990}, {1005, 995, 1000}));
  REQUIRE(same);
  CHECK_THAT(same->sentence, Contains("with 2 threads no more or fewer events that 3 trials "
                                      "resolve"));
  const auto twice = contention.answer(writers_result({1000, 1010, 990}, {2005, 1995, 2000}));
  REQUIRE(twice);
  CHECK_THAT(twice->sentence, Contains("with 2 threads 2.00 times the events"));
  CHECK_THAT(twice->sentence, Contains("One thread gets 1k events/s into `x` with a p99 of 1 us"));
}

TEST_CASE("contention: numbers of writers that cannot be are refused") {
  const Scenario& contention = test_catalog().scenarios.find("contention");
  Options options(contention.options(), "scenario 'contention'");
  options.set("threads", "1.5");
  CHECK_THROWS_WITH(contention.next_step(options, {}), Contains("threads has 1.5"));
  options.set("threads", "1");
  options.set("processes", "1, 100");
  CHECK_THROWS_WITH(contention.next_step(options, {}), Contains("processes has 100"));
}

}  // namespace
}  // namespace tailgate
