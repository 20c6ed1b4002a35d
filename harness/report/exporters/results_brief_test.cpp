#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

Latency latency(std::uint64_t p50_ns, std::uint64_t p99_9_ns) {
  Latency latency;
  latency.count = 1000;
  latency.p50_ns = p50_ns;
  latency.p99_ns = p99_9_ns / 2;
  latency.p99_9_ns = p99_9_ns;
  latency.max_ns = 2 * p99_9_ns;
  return latency;
}

// One step of one completed trial, whose events were all read back.
Result run(const std::string& sink, double rate_hz, std::uint64_t p50_ns) {
  Result result;
  result.sink.label = sink;
  StepSummary step;
  step.rate_hz = rate_hz;
  step.trials = 1;
  step.response = latency(p50_ns, 100 * p50_ns);
  result.summary.push_back(step);
  Trial trial;
  trial.outcome = TrialOutcome::completed;
  trial.ledger.checked = true;
  trial.ledger.emitted = 1000;
  trial.ledger.delivered = 1000;
  result.trials.push_back(trial);
  return result;
}

std::string brief(const std::vector<Result>& results) {
  Results named;
  for (const Result& result : results) named.push_back({"a file", result});
  return render(named, "brief");
}

// The text in one line.
std::string joined(std::string text) {
  std::string words;
  std::istringstream lines(std::move(text));
  for (std::string word; lines >> word;) words += word + " ";
  return words;
}

TEST_CASE("the answer names the cheapest sink with its tail and its losses") {
  const std::string answer = joined(brief({run("file", 5000, 500), run("spdlog", 5000, 200)}));
  CHECK_THAT(answer, Contains("Cheapest here at 5k events/s: spdlog. "));
  CHECK_THAT(answer, Contains("within 200ns of the time they were due, 99.9 % within 20.00us;"));
  CHECK_THAT(answer, Contains("none of 1000 events was lost."));
}

TEST_CASE("a sink that missed the rate, was not read back or is unbalanced is not the cheapest") {
  std::vector<Result> results = {run("slow", 5000, 900), run("fast", 5000, 10)};
  SECTION("missed") {
    results[1].summary[0].saturated = true;
  }
  SECTION("not read back") {
    results[1].trials[0].ledger.checked = false;
  }
  SECTION("unchecked") {
    results[1].trials[0].ledger.unchecked_cause = "the consumer ended by signal 9";
    results[1].trials[0].ledger.checked = false;
    CHECK_THAT(brief(results), Contains("      ?"));
  }
  SECTION("unbalanced") {
    results[1].trials[0].ledger.unaccounted = 1;
  }
  SECTION("no trial completed") {
    results[1].summary[0].trials = 0;
  }
  CHECK_THAT(joined(brief(results)), Contains(": slow. "));
  results[0].summary[0].saturated = true;
  CHECK_THAT(joined(brief(results)), Contains("no path here held the rate"));
}

TEST_CASE("losses that the cheapest sink reports are part of the answer") {
  std::vector<Result> results = {run("slow", 5000, 900), run("fast", 5000, 10)};
  results[1].trials[0].ledger.delivered = 990;
  results[1].trials[0].ledger.lost = 10;
  CHECK_THAT(joined(brief(results)), Contains("10 of 1000 events were lost (1 %)"));
}

TEST_CASE("only runs at one rate are compared") {
  CHECK_THAT(brief({run("file", 5000, 500)}), !Contains("Cheapest"));
  CHECK_THAT(brief({run("file", 5000, 500), run("spdlog", 6000, 500)}), !Contains("Cheapest"));
  const std::string answer =
      joined(brief({run("a", 10, 5), run("b", 5000, 20), run("c", 5000, 30)}));
  CHECK_THAT(answer, Contains("at 5k events/s: b."));
}

TEST_CASE("the brief table fits 80 columns and shows what went wrong") {
  std::vector<Result> results = {run(std::string(60, 'x'), 1e300, 900'000'000'000'000),
                                 run("fast", 5000, 10), run("none", 5000, 10)};
  results[1].summary[0].saturated = true;
  results[1].trials[0].ledger.unaccounted = 3;
  results[2].summary[0].trials = 0;
  const std::string text = brief(results);
  CHECK_THAT(text, Contains("5k!") && Contains("invalid") && Contains("no trial completed"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
}

}  // namespace
}  // namespace tailgate
