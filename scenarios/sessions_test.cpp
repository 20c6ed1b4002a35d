// What the scenario sessions answers, on sinks whose further sessions cost what is planted.
#include <catch2/catch.hpp>

#include <string>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

Result in_sessions(const std::string& sink, const std::string& each = "session") {
  return run_scenario("sessions", sink,
                      {{"sessions", "1, 2, 4"},
                       {"each", each},
                       {"rate_hz", "500"},
                       {"duration_s", "0.3"},
                       {"warmup_s", "0"},
                       {"trials", "2"}});
}

TEST_CASE("sessions: each further session costs what is planted") {
  const Result result = in_sessions("synthetic:service_ns=200_000:session_percent=30");
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  // A call works for this time, which a hypervisor makes some percent longer.
  CHECK(figure_of(answer, "sessions_1_service_p50_ns").value == Approx(200e3).epsilon(0.1));
  CHECK(figure_of(answer, "sessions_4_service_p50_ns").value == Approx(380e3).epsilon(0.1));
  const AnswerFigure& share = figure_of(answer, "per_session_share");
  CHECK(share.value == Approx(0.3).margin(0.06));
  CHECK(share.trials == 6);
  CHECK_THAT(answer.sentence, Contains("each further session makes it") && Contains("longer"));
}

TEST_CASE("sessions: where none costs anything the slope is about zero", "[long]") {
  const Result result = in_sessions("synthetic:service_ns=200_000");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  const AnswerFigure& share = figure_of(*result.answer, "per_session_share");
  CHECK(share.value == Approx(0).margin(0.02));
}

TEST_CASE("sessions: a sink that has one session says so") {
  const Result result = in_sessions("file");
  CHECK(result.complete);
  REQUIRE(result.answer);
  CHECK(result.trials.size() == 2);
  CHECK(result.answer->cannot == std::vector<std::string>{"be in several sessions"});
}

// Windows sleeps in steps of half a millisecond, which is more than what is planted.
TEST_CASE("sessions: each further session with its provider costs what is planted", "[long]") {
  const Result result =
      in_sessions("synthetic:service_ns=1_000_000:session_percent=30:sleep=true", "provider");
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  CHECK(figure_of(answer, "per_session_share").value == Approx(0.3).margin(0.1));
  CHECK_THAT(answer.sentence, Contains("in 4 with a provider each; each further session with its "
                                       "provider makes it"));
  CHECK(answer.cannot.empty());
  const Trial& last = result.trials.back();
  CHECK(last.load.own_sessions == true);
  CHECK(last.load.processes == 4u);
  CHECK(last.ledger.delivered == last.ledger.emitted);
}

TEST_CASE("sessions: a provider each that costs nothing makes no difference", "[long]") {
  const Result result = in_sessions("synthetic:service_ns=1_000_000:sleep=true", "provider");
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(figure_of(*result.answer, "per_session_share").value == Approx(0).margin(0.05));
}

TEST_CASE("sessions: providers with a session each may have a queue in front of it", "[long]") {
  const Result result = in_sessions("synthetic:queued_events=64", "provider");
  REQUIRE(result.answer);
  CHECK(result.answer->cannot.empty());
  for (const Trial& trial : result.trials) {
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.ledger.emitted > 0);
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
  }
}

TEST_CASE("sessions: a sink whose providers cannot have a session each says so") {
  const Result result = in_sessions("file", "provider");
  REQUIRE(result.answer);
  CHECK(result.trials.size() == 2);
  CHECK(result.answer->cannot ==
        std::vector<std::string>{"give each provider process a session of its own"});
}

// A result with these median calls, in ns, with 1, 2 and 3 sessions.
Result sessions_result(const std::vector<std::uint64_t>& p50_ns) {
  Result result;
  result.scenario.name = "sessions";
  result.sink.label = "x";
  for (unsigned i = 0; i < p50_ns.size(); ++i) {
    Trial trial;
    trial.outcome = TrialOutcome::completed;
    trial.load.rate_hz = 1000;
    trial.load.sessions = i % 3 + 1;
    trial.measured = 10;
    trial.service.p50_ns = p50_ns[i];
    result.trials.push_back(trial);
  }
  return result;
}

TEST_CASE("sessions: a slope whose interval has zero in it is no difference") {
  const Scenario& sessions = test_catalog().scenarios.find("sessions");
  const auto none = sessions.answer(sessions_result({1000, 1010, 990, 1000, 990, 1010}));
  REQUIRE(none);
  CHECK_THAT(none->sentence,
             Contains("a further session makes no difference that 6 trials resolve"));
  const auto some = sessions.answer(sessions_result({1000, 1300, 1601, 1001, 1300, 1600}));
  REQUIRE(some);
  CHECK_THAT(some->sentence, Contains("30 % of a call in one session"));
  CHECK(figure_of(*some, "per_session_service_p50_ns").value == Approx(300).margin(1));
}

TEST_CASE("sessions: a number of sessions that failed is listed, with the reason") {
  const Scenario& sessions = test_catalog().scenarios.find("sessions");
  Result result = sessions_result({1000, 1100});
  result.trials.back().outcome = TrialOutcome::failed;
  result.trials.back().outcome_detail = "no room";
  const auto answer = sessions.answer(result);
  REQUIRE(answer);
  CHECK(answer->cannot == std::vector<std::string>{"have 2 sessions of one provider: no room"});
  Options options(sessions.options(), "scenario 'sessions'");
  const StepOutcome failed{.load = {}, .failed = true};
  CHECK_FALSE(sessions.next_step(options, std::span(&failed, 1)));
}

TEST_CASE("sessions: numbers that cannot be are refused") {
  const Scenario& sessions = test_catalog().scenarios.find("sessions");
  Options options(sessions.options(), "scenario 'sessions'");
  options.set("sessions", "1, 65");
  CHECK_THROWS_WITH(sessions.next_step(options, {}), Contains("sessions has 65"));
}

}  // namespace
}  // namespace tailgate
