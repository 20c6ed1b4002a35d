#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

// The text of results whose files do not matter.
std::string text_of(const std::vector<Result>& results, const ExportOptions& options = {}) {
  Results named;
  for (const Result& result : results) named.push_back({"", result});
  return render(named, "details", options);
}

std::vector<std::string> detail_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void check_lines(const std::string& text) {
  for (const std::string& line : detail_lines(text)) {
    INFO(line);
    CHECK(columns_of(line) <= 80);
  }
}

TEST_CASE("the table aligns the figures under their titles") {
  const auto lines = detail_lines(text_of({sample_result()}));
  REQUIRE(lines.size() > 5);
  CHECK(lines[0] ==
        "rate/s achieved  trials time         p50     p99   p99.9     max    lost  unacc.");
  CHECK(lines[1] == "steady@file:mode=mmap (preset quick)");
  CHECK(lines[2] ==
        "   10k      10k     3/4 response 10.00ms 19.81ms 19.99ms 20.00ms     100      10");
  CHECK(lines[3] == "                        service  10.00ms 19.81ms 19.99ms 20.00ms");
  CHECK(lines[4].starts_with("                        delivery 10.1"));
}

TEST_CASE("the floor, failed trials and remarks stand below the table") {
  const std::string text = text_of({sample_result()});
  CHECK_THAT(text,
             Catch::Contains("floor: a call that does nothing takes 24ns at p50, 24ns at p99\n"));
  CHECK_THAT(text, Catch::Contains("! trial 3: crashed (SIGSEGV in the provider process)\n"));
  CHECK_THAT(text, Catch::Contains("! trial 2: 10 events are unaccounted for\n"
                                   "    -> see ledger.unaccounted_cause\n"));
  CHECK_THAT(text, Catch::Contains("! 1 of 4 trials did not complete\n"));
}

TEST_CASE("several results share a table of overhead unless every role is asked for") {
  const std::vector<Result> two = {sample_result(), sample_result()};
  CHECK_THAT(text_of({two[0]}), Catch::Contains("daemons "));
  CHECK_THAT(text_of(two), !Catch::Contains("daemons ") && Catch::Contains("logging "));
  CHECK_THAT(text_of(two, {.roles = true}), Catch::Contains("daemons "));
  check_lines(text_of(two));
}

TEST_CASE("a remark that trials share is printed once") {
  Result result = sample_result();
  for (const unsigned trial : {0u, 1u, 3u}) result.trials[trial].remarks = {{"noisy", "be quiet"}};
  CHECK_THAT(text_of({result}), Catch::Contains("! trials 0-1, 3: noisy\n    -> be quiet"));
}

TEST_CASE("a restriction on use and an interrupted run are shown") {
  Result result = sample_result();
  result.label = "Wine: smoke, not Windows";
  result.complete = false;
  const std::string text = text_of({result});
  CHECK_THAT(text, Catch::Contains("! restricted use: Wine: smoke, not Windows\n"));
  CHECK_THAT(text, Catch::Contains("! the run ended before its last trial\n"));
}

TEST_CASE("trials have rows of their own when asked for") {
  const std::string text = text_of({sample_result()}, {.trials = true});
  CHECK_THAT(text, Catch::Contains("    #0      10k      ok response"));
  CHECK_THAT(text, Catch::Contains("    #2     9.5k      ok response"));
  CHECK_THAT(text, Catch::Contains("    #3        0 crashed response       -       -"));
  check_lines(text);
}

TEST_CASE("a step that could not keep up, losses that nobody checked and a bounded maximum show") {
  Result result = sample_result();
  result.summary[0].saturated = true;
  result.summary[0].response.overflow = 1;
  for (Trial& trial : result.trials) {
    trial.ledger.checked = false;
    trial.ledger.unaccounted = 0;
  }
  const auto lines = detail_lines(text_of({result}));
  CHECK(lines[2] ==
        "   10k     10k!     3/4 response 10.00ms 19.81ms 19.99ms>20.00ms     100       -");
  result.summary[0].saturated_by_machine = true;
  CHECK_THAT(detail_lines(text_of({result}))[2], Catch::StartsWith("   10k    10k m     3/4"));
}

TEST_CASE("a ramp is named by both of its rates, above rows that have room for neither") {
  Result result = sample_result();
  for (Trial& trial : result.trials) {
    trial.load.shape = Shape::ramp;
    trial.load.rate_hz = 1'000;
    trial.load.end_rate_hz = 100'000;
  }
  const auto lines = detail_lines(text_of({result}));
  CHECK(lines[1] == "steady@file:mode=mmap (preset quick) from 1k to 100k events/s");
  CHECK(lines[2].starts_with("  ramp      10k "));
}

TEST_CASE("events that could not be read back have a question mark, not a number") {
  Result result = sample_result();
  result.trials[1].outcome = TrialOutcome::unchecked;
  result.trials[1].ledger.checked = false;
  result.trials[1].ledger.unchecked_cause = "the consumer ended by signal 9";
  const auto lines = detail_lines(text_of({result}, {.trials = true}));
  CHECK_THAT(lines[2], Catch::EndsWith("       ?"));
  CHECK_THAT(text_of({result}, {.trials = true}),
             Catch::Contains("#1") && Catch::Contains(" unread "));
}

TEST_CASE("no line is wider than 80 columns, whatever the values") {
  Result result = sample_result();
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  const Latency slow{huge, huge, 1e300, huge, huge, huge, huge, huge, huge, huge, ""};
  StepSummary& step = result.summary[0];
  step = {0, 1e300, 123456.7, 4'000'000'000u, true, true, slow, slow, slow, 0, {}, {}};
  for (Trial& trial : result.trials) {
    trial.index = 4'000'000'000u;
    trial.outcome = TrialOutcome::interrupted;
    trial.outcome_detail = std::string(300, 'x');
    trial.service = trial.response = slow;
    trial.achieved_rate_hz = 999'949.9;
    trial.ledger.lost = huge / 8;
    trial.ledger.unaccounted = std::numeric_limits<std::int64_t>::min() / 4;
    trial.floor.service = slow;
    trial.remarks.push_back({"µ " + std::string(200, 'y') + " words", std::string(120, 'z')});
  }
  result.scenario.preset = std::string(100, 'p');
  check_lines(text_of({result, sample_result()}, {.trials = true}));
}

TEST_CASE("colours change no text") {
  const std::string plain = text_of({sample_result()});
  std::string coloured = text_of({sample_result()}, {.colour = true});
  CHECK(plain.find('\x1b') == std::string::npos);
  CHECK(coloured != plain);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  CHECK(coloured == plain);
}

TEST_CASE("results without trials, and none at all, are shown too") {
  check_lines(text_of({Result()}));
  CHECK_THAT(text_of({Result()}), Catch::Contains("floor: not measured"));
  CHECK(detail_lines(text_of({})).size() == 1);
}

}  // namespace
}  // namespace tailgate
