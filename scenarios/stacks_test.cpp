// What the scenario stacks answers, of sinks whose stacks cost what is planted.
#include <catch2/catch.hpp>

#include <string>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

// Whether this system walks call stacks: an emulator may not.
bool captures_stacks() {
  const SinkChoice choice =
      test_catalog().sinks.choice("null:stacks_depth_frames=64:stacks_by=call");
  return choice.type->probe(choice.options).available;
}

TEST_CASE("stacks finds what each frame costs, where the sink's path captures", "[long]") {
  if (!captures_stacks()) return;
  const Result result =
      run_scenario("stacks", "synthetic:sleep=true:service_ns=1_000_000:stack_frame_ns=100_000",
                   {{"by", "sink"},
                    {"frames", "1, 32"},
                    {"rate_hz", "100"},
                    {"duration_s", "0.2"},
                    {"warmup_s", "0"},
                    {"rounds", "3"}});
  CHECK(result.trials.size() == 2 * 2 * 3);
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  const AnswerFigure& per_frame = figure_of(*result.answer, "per_frame_ns");
  CHECK(per_frame.trials == 3);
  CHECK(per_frame.value == Approx(100'000).epsilon(0.15));
  // The load's own frames are part of what the sink captures.
  CHECK(figure_of(*result.answer, "frames_32_capture_ns").value > 0.9 * 3'200'000);
  CHECK_THAT(result.answer->sentence, Contains("capturing the stack in its own path costs") &&
                                          Contains("; each frame costs "));
  CHECK(result.answer->cannot.empty());
}

TEST_CASE("stacks: events come back with the stacks that calls captured", "[long]") {
  if (!captures_stacks()) return;
  const Result result = run_scenario("stacks", "file",
                                     {{"frames", "2, 64"},
                                      {"rate_hz", "2000"},
                                      {"duration_s", "0.15"},
                                      {"warmup_s", "0"},
                                      {"rounds", "1"}});
  CHECK(result.trials.size() == 2 * 2);
  for (const Trial& trial : result.trials) {
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.ledger.corrupted == 0);
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
  }
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(figure_of(*result.answer, "per_frame_ns").trials == 1);
  REQUIRE(result.answer->cannot.size() == 1);
  CHECK_THAT(result.answer->cannot.front(), Contains("record the caller's stack itself"));
}

TEST_CASE("stacks refuses to have a path capture that cannot, with the reason") {
  const Scenario& stacks = test_catalog().scenarios.find("stacks");
  Options options(stacks.options(), "scenario 'stacks'");
  options.set("by", "sink");
  const Probe probe = probe_request({.scenario = &stacks,
                                     .options = options,
                                     .sink = test_catalog().sinks.choice("file"),
                                     .preset = "",
                                     .sinks = &test_catalog().sinks});
  CHECK_FALSE(probe.available);
  CHECK_THAT(probe.reason, Contains("gets the event's bytes alone"));
}

// A capture costs `first_ns`, and `frame_ns` for each frame.
Result stacks_result(double first_ns, double frame_ns) {
  return made_rounds("stacks", [&](const std::vector<std::string>& given) {
    return given.at(1) == "stacks_by=call" ? first_ns + number_in(given) * frame_ns : 0;
  });
}

TEST_CASE("stacks: each frame costs what is planted, whatever the rounds' own speed") {
  const Scenario& stacks = test_catalog().scenarios.find("stacks");
  const auto answer = stacks.answer(stacks_result(300, 150));
  REQUIRE(answer);
  INFO(answer->sentence);
  CHECK(figure_of(*answer, "per_frame_ns").value == Approx(150));
  CHECK(figure_of(*answer, "frames_1_without_service_p50_ns").value == 1500);
  CHECK(figure_of(*answer, "frames_8_capture_ns").value == Approx(300 + 8 * 150));
  CHECK(
      answer->sentence ==
      "At 10k events/s `x` takes 1.5 us for a call under one frame; capturing the stack costs 450 "
      "ns (450 ns) under one frame and 9.9 us (9.9 us) under 64 frames; each frame costs 150 ns "
      "(150 ns).");
}

TEST_CASE("stacks: where a capture costs nothing there is no difference") {
  const Scenario& stacks = test_catalog().scenarios.find("stacks");
  for (const double first_ns : {0, 20}) {  // the second is less than two reads of the clock
    const auto answer = stacks.answer(stacks_result(first_ns, 0));
    REQUIRE(answer);
    INFO(answer->sentence);
    CHECK(figure_of(*answer, "per_frame_ns").value == Approx(0).margin(1e-9));
    CHECK_THAT(answer->sentence, Contains("nothing that 3 rounds resolve (0 ns to 0 ns)") ||
                                     Contains("nothing that 3 rounds resolve (20 ns)"));
    CHECK_THAT(answer->sentence, Contains("each frame costs nothing that 3 rounds resolve"));
  }
}

TEST_CASE("stacks: a sink that says why it cannot capture is quoted") {
  Result result = stacks_result(300, 150);
  result.trials.front().granted = {{"stacks_by_sink", "no: it is blind"}};
  const auto answer = test_catalog().scenarios.find("stacks").answer(result);
  REQUIRE(answer);
  CHECK(answer->cannot ==
        std::vector<std::string>{"record the caller's stack itself: it is blind"});
}

TEST_CASE("stacks: a round has each depth with a capture and without, one after the other") {
  const Scenario& stacks = test_catalog().scenarios.find("stacks");
  Options options(stacks.options(), "scenario 'stacks'");
  std::size_t captured_first = 0;
  for (std::size_t step = 0; step < stacks.max_steps(options); step += 2) {
    const auto first = stacks.sink_options(options, step);
    const auto second = stacks.sink_options(options, step + 1);
    CHECK(first.at(0) == second.at(0));
    CHECK((first.at(1) == "stacks_by=call") != (second.at(1) == "stacks_by=call"));
    captured_first += first.at(1) == "stacks_by=call" ? 1 : 0;
  }
  CHECK(captured_first == stacks.max_steps(options) / 4);
}

TEST_CASE("stacks refuses depths that no call has") {
  CHECK(refuses("stacks", "frames", {"65", "1.5", "8, 4", "many"}));
}

}  // namespace
}  // namespace tailgate
