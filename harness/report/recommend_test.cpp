// Recommendations from made-up results whose answer is known.
#include "harness/report/recommend.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

// Three trials of a sink at 20k events/s of 300 bytes that held the rate and lost nothing.
NamedResult candidate(const std::string& sink, std::uint64_t p99_ns,
                      Survives survives = Survives::kill, double rate_hz = 20'000,
                      const std::string& payload = "300") {
  Result result;
  result.complete = true;
  result.started_utc = "2026-06-01T12:00:00Z";
  result.scenario.name = "steady";
  result.sink.name = sink.substr(0, sink.find(':'));
  result.sink.label = sink;
  result.sink.survives = survives;
  result.machine.fingerprint = "one";
  StepSummary step;
  step.rate_hz = step.achieved_rate_hz = rate_hz;
  step.trials = 3;
  step.response.count = 60'000;
  step.response.p50_ns = p99_ns / 10;
  step.response.p99_ns = p99_ns;
  step.response.p99_9_ns = 2 * p99_ns;
  step.response.max_ns = 3 * p99_ns;
  result.summary.push_back(step);
  for (unsigned i = 0; i < 3; ++i) {
    Trial trial;
    trial.index = i;
    trial.outcome = TrialOutcome::completed;
    trial.noise.observed_ns = 100'000'000;
    trial.load.shape = Shape::steady;
    trial.load.rate_hz = rate_hz;
    trial.load.payload = payload;
    trial.response = step.response;
    trial.response.p99_ns = p99_ns + i;
    trial.ledger.checked = true;
    trial.ledger.emitted = trial.ledger.delivered = 20'000;
    result.trials.push_back(trial);
  }
  return {sink + ".json", result};
}

LoggingNeeds needs() {
  LoggingNeeds needs;
  needs.rate_hz = 20'000;
  needs.payload = "300";
  return needs;
}

const Candidate& candidate_of(const Recommendation& recommendation, const std::string& sink) {
  for (const Candidate& candidate : recommendation.candidates) {
    if (candidate.sink == sink) return candidate;
  }
  FAIL(sink << " is missing");
  return recommendation.candidates.front();
}

std::string why_not(const NamedResult& named, const LoggingNeeds& wanted = needs()) {
  const Recommendation recommendation =
      recommend({named, candidate("other", 9'000, Survives::crash)}, wanted);
  std::string reasons;
  for (const std::string& reason : candidate_of(recommendation, named.result.sink.label).why_not) {
    reasons += reason + "; ";
  }
  return reasons;
}

TEST_CASE("of the sinks that qualify the fastest is named, and the numbers may be trusted") {
  const Recommendation recommendation = recommend(
      {candidate("file", 3'000), candidate("mmap", 200), candidate("spdlog", 4'000)}, needs());
  REQUIRE(recommendation.best() != nullptr);
  CHECK(recommendation.best()->sink == "mmap");
  CHECK(recommendation.candidates[1].sink == "file");
  CHECK(recommendation.candidates[2].sink == "spdlog");
  CHECK(recommendation.doubts.empty());
  CHECK(recommendation.close.empty());
  CHECK(recommendation.measure.empty());
}

TEST_CASE("each reason that disqualifies a sink is said") {
  NamedResult named = candidate("fast", 10);
  CHECK(why_not(named).empty());
  SECTION("the rate") {
    named.result.summary[0].saturated = true;
    named.result.summary[0].achieved_rate_hz = 9'500;
    CHECK(why_not(named) == "it did not hold the rate: 9.5k of 20k events/s; ");
    named.result.summary[0].saturated_by_machine = true;
    CHECK_THAT(why_not(named), Contains("by the machine's fault: measure it again"));
  }
  SECTION("lost events, unless they may be lost") {
    named.result.trials[1].ledger.lost = 6;
    CHECK(why_not(named) == "it lost 6 of 60000 events (0.01 %); ");
    LoggingNeeds tolerant = needs();
    tolerant.most_lost_share = 0.0002;
    CHECK(why_not(named, tolerant).empty());
  }
  SECTION("events that nobody accounts for") {
    named.result.trials[1].ledger.unaccounted = 1;
    CHECK(why_not(named) == "events are unaccounted for; ");
  }
  SECTION("events that are not read back") {
    for (Trial& trial : named.result.trials) trial.ledger.checked = false;
    CHECK_THAT(why_not(named), Contains("nobody knows what it lost"));
  }
  SECTION("a trial that crashed") {
    named.result.trials[1].outcome = TrialOutcome::crashed;
    named.result.summary[0].trials = 2;
    CHECK_THAT(why_not(named), Contains("1 of 3 trials did not complete"));
  }
  SECTION("survival, if it is asked for") {
    LoggingNeeds strict = needs();
    strict.survives = Survives::crash;
    CHECK(why_not(named, strict) == "its events survive kill, and crash is asked for; ");
    strict.survives = Survives::kill;
    CHECK(why_not(named, strict).empty());
    named.result.sink.survives = Survives::nothing;
    CHECK(why_not(named).empty());
    CHECK(why_not(named, strict) == "its events survive nothing, and kill is asked for; ");
    named.result.sink.survives.reset();
    CHECK(why_not(named).empty());
    CHECK_THAT(why_not(named, strict), Contains("does not say what its events survive"));
  }
  SECTION("a file in memory does not survive a crash, whatever the calls promise") {
    LoggingNeeds strict = needs();
    strict.survives = Survives::crash;
    named.result.sink.survives = Survives::crash;
    CHECK(why_not(named, strict).empty());
    named.result.trials[0].granted = {{"file_system", "tmpfs"}};
    CHECK_THAT(why_not(named, strict), Contains("its file was on tmpfs"));
    strict.survives = Survives::kill;
    CHECK(why_not(named, strict).empty());
  }
  SECTION("another load: the nearest is named") {
    CHECK_THAT(why_not(candidate("fast", 10, Survives::kill, 10'000)),
               Contains("not measured at that load; nearest: steady 10k/s of 300 bytes"));
    CHECK_THAT(why_not(candidate("fast", 10, Survives::kill, 20'000, "128")),
               Contains("nearest: steady 20k/s of 128 bytes"));
  }
  SECTION("another shape, another number of threads") {
    for (Trial& trial : named.result.trials) trial.load.shape = Shape::burst;
    CHECK_THAT(why_not(named), Contains("nearest: burst 20k/s"));
    for (Trial& trial : named.result.trials) trial.load.shape = Shape::steady;
    for (Trial& trial : named.result.trials) trial.load.threads = 4;
    CHECK_THAT(why_not(named), Contains("300 bytes, 4 threads"));
  }
}

TEST_CASE("of several loads of one sink the nearest is named by rate") {
  NamedResult sweep = candidate("fast", 10, Survives::kill, 1'000);
  const NamedResult other = candidate("fast", 10, Survives::kill, 100'000);
  sweep.result.summary.push_back(other.result.summary[0]);
  sweep.result.summary[1].step = 1;
  for (Trial trial : other.result.trials) {
    trial.step = 1;
    sweep.result.trials.push_back(trial);
  }
  CHECK_THAT(why_not(sweep), Contains("nearest: steady 100k/s"));
}

TEST_CASE("of several results of one sink the latest counts") {
  NamedResult later = candidate("file", 9'000);
  later.result.started_utc = "2026-06-02T12:00:00Z";
  later.name = "later.json";
  const Recommendation recommendation = recommend({later, candidate("file", 100)}, needs());
  REQUIRE(recommendation.candidates.size() == 1);
  CHECK(recommendation.best()->file == "later.json");
  CHECK(recommendation.best()->response.p99_ns == 9'000);
}

TEST_CASE("without a size, the one that most sinks were measured with is taken") {
  LoggingNeeds any = needs();
  any.payload.clear();
  const Recommendation recommendation = recommend(
      {candidate("a", 10, Survives::kill, 20'000, "128"), candidate("b", 20), candidate("c", 30)},
      any);
  CHECK(recommendation.payload == "300");
  CHECK(recommendation.best()->sink == "b");
  CHECK_FALSE(candidate_of(recommendation, "a").qualifies());
}

TEST_CASE("what makes the numbers untrustworthy is said") {
  NamedResult a = candidate("a", 100);
  NamedResult b = candidate("b", 5'000);
  const auto doubts = [&] {
    std::string text;
    for (const std::string& doubt : recommend({a, b}, needs()).doubts) text += doubt + "; ";
    return text;
  };
  CHECK(doubts().empty());
  SECTION("a busy machine") {
    b.result.trials[2].noise.lost_share = 0.2;
    CHECK(doubts() ==
          "the machine was busy in 1 of 6 trials: it decides the tails, not the sinks; ");
  }
  SECTION("one trial") {
    a.result.trials.resize(1);
    a.result.summary[0].trials = 1;
    CHECK(doubts() == "one trial only: a; ");
  }
  SECTION("few calls") {
    a.result.summary[0].response.count = 2'700;  // 900 a trial
    CHECK(doubts() == "fewer than 10 calls of a trial lie beyond p99: a; ");
  }
  SECTION("two machines") {
    b.result.machine.fingerprint = "two";
    CHECK(doubts() == "the results are of 2 different machines; ");
  }
  SECTION("restricted use") {
    b.result.label = "Wine: smoke, not Windows";
    CHECK(doubts() == "restricted use: Wine: smoke, not Windows; ");
  }
}

TEST_CASE("sinks whose intervals over the trials meet are not told apart") {
  const Recommendation recommendation =
      recommend({candidate("a", 1'000), candidate("b", 1'002), candidate("c", 5'000)}, needs());
  CHECK(recommendation.best()->sink == "a");
  CHECK(recommendation.close == std::vector<std::string>{"b"});
}

TEST_CASE("another figure orders otherwise") {
  NamedResult costly = candidate("a", 100);
  NamedResult cheap = candidate("b", 5'000);
  for (auto [named, cpu_ns] : {std::pair{&costly, 900.0}, std::pair{&cheap, 50.0}}) {
    RoleOverhead logging;
    logging.role = "logging";
    logging.cpu_ns_per_event = Estimate{cpu_ns, {}};
    named->result.summary[0].overhead.push_back(logging);
  }
  LoggingNeeds by_cpu = needs();
  by_cpu.sort = "cpu";
  CHECK(recommend({costly, cheap}, by_cpu).best()->sink == "b");
  CHECK(recommend({costly, cheap}, needs()).best()->sink == "a");
}

TEST_CASE("nothing measured: the run to make") {
  const Recommendation none = recommend({}, needs());
  CHECK(none.best() == nullptr);
  CHECK(none.measure ==
        "tailgate run steady --sink SINK,SINK --set rate_hz=20000 --set payload=300 --trials 5 "
        "--out DIR");
  const Recommendation elsewhere =
      recommend({candidate("file", 10, Survives::kill, 1'000)}, needs());
  CHECK(elsewhere.best() == nullptr);
  CHECK_THAT(elsewhere.measure, Contains("--sink file --set rate_hz=20000"));
}

std::string joined(const std::string& text) {
  std::string words;
  std::istringstream lines(text);
  for (std::string word; lines >> word;) words += word + " ";
  return words;
}

TEST_CASE(
    "where the machine's gaps decide the tails the median ranks, unless a figure is asked for") {
  NamedResult a = candidate("a", 3'000);
  NamedResult b = candidate("b", 4'000);
  b.result.summary[0].response.p50_ns = 50;
  for (NamedResult* named : {&a, &b}) {
    for (Trial& trial : named->result.trials) trial.noise.lost_share = 0.04;
  }
  const Recommendation recommendation = recommend({a, b}, needs());
  REQUIRE(recommendation.best() != nullptr);
  CHECK(recommendation.best()->sink == "b");
  const std::string words = joined(render(recommendation, "text"));
  CHECK_THAT(words, Contains("Use b if better numbers confirm it: at 20k events/s of 300 bytes "
                             "half of its calls returned within 50ns") &&
                        Contains("! the machine decides the tails"));
  LoggingNeeds by_tail = needs();
  by_tail.sort = "p99";
  CHECK(recommend({a, b}, by_tail).best()->sink == "a");
  for (NamedResult* named : {&a, &b}) {
    for (Trial& trial : named->result.trials) trial.noise.lost_share = 0.21;
  }
  const Recommendation busy = recommend({a, b}, needs());
  CHECK(busy.best() == nullptr);
  CHECK_THAT(
      joined(render(busy, "text")),
      Contains("None qualifies of the 2 sinks") &&
          Contains("not a: its figures are the machine's, which was busy: measure it again"));
}

TEST_CASE("the text: the answer first, then a table, trust, reasons, within 80 columns") {
  NamedResult lossy = candidate("spdlog:mode=async_overrun:queue_events=8192", 50);
  lossy.result.trials[0].ledger.lost = 3'000;
  const std::string text = render(recommend({candidate("file", 3'000), lossy,
                                             candidate("journald", 8'000, Survives::kill, 5'000)},
                                            needs()),
                                  "text");
  INFO(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
  const std::string words = joined(text);
  CHECK(
      words.starts_with("Use file: at 20k events/s of 300 bytes 99 % of its calls returned within "
                        "3.000us of the time they were due, half within 300ns; it lost none of "
                        "60000 events. Its events survive the program's death. "));
  CHECK_THAT(words, Contains("May the numbers be trusted? Yes."));
  CHECK_THAT(words, Contains("! not spdlog:mode=async_overrun:queue_events=8192: it lost 3000 of "
                             "60000 events (5 %)"));
  CHECK_THAT(words, Contains("! not journald: it was not measured at that load; nearest: steady "
                             "5k/s of 300 bytes"));
  CHECK(text.find("survives\n") < text.find("May the numbers"));
  CHECK(text.find("May the numbers") < text.find("! not"));
  CHECK_THAT(words, Contains("x spdlog:mode=async_o "));
  CHECK_THAT(words, Contains("tailgate run steady --sink journald"));
}

TEST_CASE("an answer from numbers that may not be trusted says so at once") {
  NamedResult busy = candidate("file", 3'000);
  busy.result.trials[0].noise.lost_share = 0.5;
  const std::string words = joined(render(recommend({busy}, needs()), "text"));
  CHECK_THAT(words, Catch::StartsWith("Use file if better numbers confirm it: at 20k events/s"));
  CHECK_THAT(words, Contains("trusted? No: ! the machine was busy in 1 of 3 trials"));
}

TEST_CASE("the text where none qualifies, or none was measured") {
  NamedResult lossy = candidate("file", 50);
  lossy.result.trials[0].ledger.lost = 1;
  CHECK_THAT(render(recommend({lossy}, needs()), "text"), !Contains("trusted"));
  CHECK_THAT(
      joined(render(recommend({lossy}, needs()), "text")),
      Catch::StartsWith("None qualifies of the 1 sink measured at 20k events/s of 300 bytes"));
  CHECK_THAT(joined(render(recommend({candidate("file", 5, Survives::kill, 10)}, needs()), "text")),
             Catch::StartsWith("No sink can be named: none was measured at 20k events/s"));
}

TEST_CASE("the JSON says the same") {
  const auto document = nlohmann::json::parse(
      render(recommend({candidate("file", 3'000), candidate("b", 10, Survives::kill, 5)}, needs()),
             "json"));
  CHECK(document["use"] == "file");
  CHECK(document["trusted"] == true);
  CHECK(document["needs"]["payload"] == "300");
  REQUIRE(document["sinks"].size() == 2);
  CHECK(document["sinks"][0]["response_ns"]["p99"] == 3'000);
  CHECK(document["sinks"][0]["survives"] == "kill");
  CHECK(document["sinks"][1]["measured"] == false);
  CHECK(document["sinks"][1]["why_not"].size() == 1);
  CHECK(nlohmann::json::parse(render(recommend({}, needs()), "json"))["use"].is_null());
}

}  // namespace
}  // namespace tailgate
