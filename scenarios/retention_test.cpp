// What the scenario retention answers: of a sink that keeps its cap, of one that exceeds it between
// the beginning and the end of a load, and of one that loses some of the newest events.
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

// 2000 events of 1000 bytes, four times the cap of 500,000.
const std::vector<std::pair<std::string, std::string>> kRetentionSmoke = {
    {"rate_hz", "10000"}, {"payload", "1000"}, {"fill_bytes", "2_000_000"}, {"trials", "2"}};

TEST_CASE("retention says that a cap holds, and how far back what is left goes") {
  const Result result = run_scenario("retention", "synthetic:cap_bytes=500_000", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == true);
  CHECK_THAT(answer.sentence, Contains("keeps its cap of 488 KiB"));
  CHECK_THAT(answer.sentence, Contains("none of the newest is missing"));
  // Each of four files takes 125 events; the newest has one at least.
  CHECK(figure_of(answer, "kept_events").low >= 3 * 125 + 1);
  CHECK(figure_of(answer, "kept_events").high <= 4 * 125);
  // 376 to 500 events at 10 kHz; the machine may make a load later, but not earlier.
  CHECK(figure_of(answer, "history_ns").low >= 0.0375e9);
  for (const Trial& trial : result.trials) {
    REQUIRE(trial.storage);
    REQUIRE(trial.kept_events);
    CHECK(trial.kept_events->accepted == 2000);
    CHECK(trial.ledger.unaccounted == 0);
  }
}

TEST_CASE("retention sees a cap that is exceeded during the load and not at the end") {
  // A file of 125 events is removed 120 events late: most of the time there are five.
  const Result result =
      run_scenario("retention", "synthetic:cap_bytes=500_000:cap_late_events=120", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == false);
  CHECK_THAT(answer.sentence, Contains("exceeds its cap of 488 KiB"));
  CHECK(figure_of(answer, "most_bytes").low > 500'000 + 60'000);
  for (const Trial& trial : result.trials) CHECK(trial.storage->kept.back().bytes <= 532'768);
}

TEST_CASE("retention says which of the newest events are missing") {
  const Result result =
      run_scenario("retention", "synthetic:cap_bytes=500_000:hide_last_events=7", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == false);
  CHECK_THAT(answer.sentence, Contains("but the newest 7 events are missing"));
  CHECK(figure_of(answer, "gone_newest_events").low == 7);
}

TEST_CASE("retention says that a path stops at its cap, and that what it accepted is there") {
  const Result result =
      run_scenario("retention", "file:mode=capped:max_bytes=500_000", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == true);
  CHECK_THAT(answer.sentence, Contains("stops taking events: 75 % of the calls are refused"));
  CHECK(figure_of(answer, "kept_events").low == 500);
}

TEST_CASE("retention says of a path without a cap that it grows", "[long]") {
  const Result result = run_scenario("retention", "file", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK_FALSE(answer.holds);
  CHECK_THAT(answer.sentence, Contains("names no cap of its files (at most 1.9"));
  CHECK(answer.cannot.size() == 1);
  CHECK(figure_of(answer, "kept_events").low == 2000);
}

TEST_CASE("retention's rotating files keep their cap", "[long]") {
  const std::string sink =
      GENERATE("file:mode=rotate:max_bytes=500_000", "spdlog:max_bytes=500_000:flush_each=true");
  const SinkChoice choice = test_catalog().sinks.choice(sink);
  if (!choice.type->probe(choice.options).available) return;
  const Result result = run_scenario("retention", sink, kRetentionSmoke);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == true);
  CHECK(figure_of(*result.answer, "kept_events").low >= 3 * 124);
}

TEST_CASE("retention: launches leave each other's files, and remove the oldest within the cap") {
  const Result result = run_scenario(
      "retention", "file:mode=launch:max_bytes=500_000:launch_every=60", kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == true);
  CHECK_THAT(answer.sentence, Contains("keeps its cap of 488 KiB"));
  // A new file may take 125 events, so 375 of earlier launches may stay: those of six.
  CHECK(figure_of(answer, "kept_events").low >= 6 * 60 + 1);
  CHECK(figure_of(answer, "kept_events").high <= 7 * 60);
  CHECK(figure_of(answer, "uncounted_events").high == 0);
}

TEST_CASE(
    "retention finds launches that overwrite each other, because their names are too coarse") {
  const Result result = run_scenario(
      "retention", "file:mode=launch:max_bytes=500_000:launch_every=60:launch_names=seconds",
      kRetentionSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(answer.holds == false);
  CHECK_THAT(answer.sentence, Contains("removes events long before its cap is full"));
  CHECK(figure_of(answer, "uncounted_events").low > 1000);
}

std::vector<std::pair<std::string, std::string>> with(const std::string& name,
                                                      const std::string& value) {
  std::vector<std::pair<std::string, std::string>> settings = kRetentionSmoke;
  settings.emplace_back(name, value);
  return settings;
}

TEST_CASE("retention says that rotations cost no event, or how many") {
  const Result none =
      run_scenario("retention", "synthetic:cap_bytes=16_000_000", with("rotate_every_s", "0.06"));
  REQUIRE(none.answer);
  INFO(none.answer->sentence);
  CHECK(none.answer->holds == true);
  CHECK_THAT(none.answer->sentence, Contains("Its files were rotated "));
  CHECK(figure_of(*none.answer, "rotations").low >= 1);
  CHECK(figure_of(*none.answer, "kept_events").low == 2000);

  const Result some =
      run_scenario("retention", "synthetic:cap_bytes=16_000_000:rotate_loses_events=7",
                   with("rotate_every_s", "0.06"));
  REQUIRE(some.answer);
  INFO(some.answer->sentence);
  CHECK(some.answer->holds == false);
  CHECK(figure_of(*some.answer, "uncounted_events").low >= 7);
  CHECK(figure_of(*some.answer, "uncounted_events").high <= 3 * 7);
}

TEST_CASE("retention says of a sink that rotates nothing that it cannot", "[long]") {
  const Result result = run_scenario("retention", "file", with("rotate_every_s", "0.06"));
  REQUIRE(result.answer);
  CHECK_FALSE(result.answer->holds);
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"rotate session: the sink rotates no files while it runs",
                                 "name the cap of its files: these options set none"});
}

TEST_CASE("retention says what a full disk cost, and that nothing is missing without a count",
          "[long]") {
  const std::string sink = "file:disk_bytes=8Mi";
  const SinkChoice choice = test_catalog().sinks.choice(sink);
  if (!choice.type->probe(choice.options).available) return;
  auto settings = with("full_for_s", "0.06");
  settings.emplace_back("full_at_s", "0.06");
  const Result result = run_scenario("retention", sink, settings);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == true);
  CHECK_THAT(result.answer->sentence, Contains("Its disk was full for a while"));
  CHECK(figure_of(*result.answer, "refused_events").low > 100);
  CHECK(figure_of(*result.answer, "counted_events").high == 0);
}

}  // namespace
}  // namespace tailgate
