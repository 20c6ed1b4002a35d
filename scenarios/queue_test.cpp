// What the scenario queue answers: of a sink whose call is slow, of one whose call is cheaper than
// any queue's, and where both sides are the same.
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kQueueSmoke = {{"rates_hz", "500"},
                                                                      {"events", "200"},
                                                                      {"warmup_s", "0"},
                                                                      {"trials", "3"},
                                                                      {"queued_events", "8"}};

TEST_CASE("queue says that a queue is faster than a slow call, and who pays when it is full",
          "[long]") {
  const Result result = run_scenario("queue", "synthetic:service_ns=400_000", kQueueSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK_THAT(answer.sentence, Contains("is faster at 500 events/s: it takes"));
  CHECK_THAT(answer.sentence, Contains("When it is full, callers wait"));
  CHECK(figure_of(answer, "direct_at_500_hz_service_p50_ns").low >= 400'000);
  CHECK(figure_of(answer, "queued_at_500_hz_p50_ratio").high < 1);
  // In a closed loop of 200 events the sink takes some before the last one comes: the queue keeps
  // 8, and drops most of the others. Callers who wait take the sink's time, but for what the queue
  // still holds at the end: some 8 of 200.
  CHECK(figure_of(answer, "full_dropped_share").low > 0.5);
  CHECK(figure_of(answer, "full_queued_service_mean_ns").low > 0.8 * 400'000);
  CHECK(result.trials.size() == 3 * 5);
}

TEST_CASE("queue says that a queue is slower than a call that is cheaper than any queue") {
  // The interval of nine pairs leaves out the lowest and the highest one: a round that something
  // else on the machine disturbs does not change the answer.
  const Result result =
      run_scenario("queue", "synthetic:service_ns=0",
                   {{"rates_hz", "2000"}, {"events", "200"}, {"warmup_s", "0"}, {"trials", "9"}});
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK_THAT(result.answer->sentence, Contains("is slower at 2k events/s: it takes"));
  CHECK(figure_of(*result.answer, "queued_at_2000_hz_p50_ratio").low > 1);
}

TEST_CASE("queue finds no difference where both sides are the same", "[long]") {
  Result result = run_scenario("queue", "synthetic", kQueueSmoke);
  const Scenario& queue = test_catalog().scenarios.find("queue");
  // Each round's trial through the queue becomes the direct one of another round, so that pairs
  // differ as trials of one side do.
  std::vector<Trial*> direct;
  std::vector<Trial*> queued;
  for (Trial& trial : result.trials) {
    if (trial.load.rate_hz == 0) continue;
    const bool through = !trial.granted.empty();
    (through ? queued : direct).push_back(&trial);
  }
  REQUIRE(direct.size() == 3);
  REQUIRE(queued.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) queued[i]->service = direct[(i + 1) % 3]->service;
  const std::optional<Answer> answer = queue.answer(result);
  REQUIRE(answer);
  INFO(answer->sentence);
  CHECK_THAT(answer->sentence, Contains("is no different at 500 events/s"));
}

TEST_CASE("queue takes the sides in turn, and the first one changes from round to round") {
  const Scenario& queue = test_catalog().scenarios.find("queue");
  Options options(queue.options(), "scenario 'queue'");
  options.set("rates_hz", "1k,10k");
  options.set("trials", "4");
  REQUIRE(queue.max_steps(options) == 4 * 7);
  std::size_t direct_first = 0;
  for (std::size_t round = 0; round < 4; ++round) {
    for (std::size_t rate = 0; rate < 2; ++rate) {
      const std::size_t step = 7 * round + 2 * rate;
      const bool first = queue.sink_options(options, step).empty();
      CHECK(first != queue.sink_options(options, step + 1).empty());
      direct_first += first ? 1 : 0;
    }
    std::size_t direct = 0;
    for (std::size_t full = 4; full < 7; ++full) {
      direct += queue.sink_options(options, 7 * round + full).empty() ? 1 : 0;
    }
    CHECK(direct == 1);
  }
  CHECK(direct_first == 4);
}

}  // namespace
}  // namespace tailgate
