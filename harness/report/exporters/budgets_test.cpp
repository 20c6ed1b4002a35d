#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"

namespace tailgate {
namespace {

using Catch::Contains;

Trial trial_of(unsigned index, std::uint64_t time_ns) {
  Trial trial;
  trial.index = index;
  trial.outcome = TrialOutcome::completed;
  trial.achieved_rate_hz = 20'000;
  trial.noise.observed_ns = 1'000'000'000;
  trial.response.count = trial.service.count = 20'000;
  trial.response.p99_ns = time_ns;
  trial.response.p99_9_ns = 2 * time_ns;
  trial.ledger.checked = true;
  trial.ledger.emitted = trial.ledger.delivered = 20'000;
  return trial;
}

Result result_of(const std::string& label, const std::vector<std::uint64_t>& times_ns) {
  Result result;
  result.complete = true;
  result.sink.name = label.substr(0, label.find(':'));
  result.sink.label = label;
  result.scenario.name = "steady";
  for (const std::uint64_t time_ns : times_ns) {
    result.trials.push_back(trial_of(static_cast<unsigned>(result.trials.size()), time_ns));
  }
  StepSummary step;
  step.rate_hz = 20'000;
  result.summary.push_back(step);
  return result;
}

// One bound of each outcome; the last budget is for nothing that was measured.
BudgetVerdicts all_outcomes() {
  static const Result fast = result_of("file", {10'000, 10'100, 9'900});
  static const Result slow = result_of("file:mode=mmap", {61'000, 60'000, 62'000});
  static const Result open = result_of("spdlog", {30'000, 50'000, 70'000});
  return judge_budgets({parse_budget("file@20k: p99 < 50us, lost = 0"),
                        parse_budget("spdlog: p99 < 60us"), parse_budget("journald: p99 < 1ms")},
                       {{"a.json", &fast}, {"b.json", &slow}, {"c.json", &open}});
}

// The text in one line.
std::string joined_lines(const std::string& text) {
  std::string words;
  std::istringstream lines(text);
  for (std::string word; lines >> word;) words += word + " ";
  return words;
}

TEST_CASE("budgets as text: the outcome, then reasons from the worst on, then tables, 80 columns") {
  const std::string text = render(all_outcomes(), "text");
  INFO(text);
  CHECK(text.starts_with("FAIL  6 bounds: 1 fail, 1 invalid, 1 inconclusive, 3 pass\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(columns_of(line) <= kColumns);
  const std::string words = joined_lines(text);
  CHECK_THAT(words, Contains("file:mode=mmap at 20k/s, steady, p99 < 50us: p99 is 61.00us (95 %: "
                             "58.52us .. 63.48us, mean of 3 trials)"));
  CHECK_THAT(words, Contains("no result is for the budget of journald"));
  CHECK_THAT(words, Contains("and the bound lies within -> run more trials: about"));
  const std::size_t fail = text.find("! file:mode=mmap");
  const std::size_t invalid = text.find("! no result");
  const std::size_t inconclusive = text.find("! spdlog");
  CHECK(fail < invalid);
  CHECK(invalid < inconclusive);
  CHECK(inconclusive < text.find("95 % interval"));
  CHECK_THAT(text, Contains("counted"));
}

TEST_CASE("budgets that are kept need no reasons") {
  const Result fast = result_of("file", {10'000, 10'100, 9'900});
  const std::string text =
      render(judge_budgets({parse_budget("file: p99 < 50us")}, {{"a.json", &fast}}), "text");
  CHECK(text.starts_with("PASS  1 bound: 1 pass\n"));
  CHECK_THAT(text, !Contains("!") && !Contains("->"));
}

TEST_CASE("one trial is told how to get an interval") {
  const Result one = result_of("file", {10'000});
  const std::string words = joined_lines(
      render(judge_budgets({parse_budget("file: p99 < 50us")}, {{"a.json", &one}}), "text"));
  CHECK_THAT(words, Contains("INCONCLUSIVE") &&
                        Contains("in the only trial, and one trial alone") &&
                        Contains("-> run more trials: --trials 5"));
}

TEST_CASE("budgets as JSON: every bound with value, interval, outcome and reason") {
  const auto document = nlohmann::json::parse(render(all_outcomes(), "json"));
  CHECK(document["format"] == "tailgate-budgets");
  CHECK(document["outcome"] == "fail");
  REQUIRE(document["budgets"].size() == 4);
  const auto& slow = document["budgets"][1];
  CHECK(slow["budget"] == "file@20k");
  CHECK(slow["sink"] == "file:mode=mmap");
  CHECK(slow["file"] == "b.json");
  CHECK(slow["trials"] == 3);
  const auto& bound = slow["bounds"][0];
  CHECK(bound["bound"] == "p99 < 50us");
  CHECK(bound["limit"] == 50'000);
  CHECK(bound["unit"] == "ns");
  CHECK(bound["value"] == 61'000);
  CHECK(bound["method"] == "mean");
  CHECK(bound["outcome"] == "fail");
  CHECK(bound["low"].get<double>() == Approx(58'516).margin(2));
  CHECK(slow["bounds"][1]["method"] == "counted");
  CHECK(document["budgets"][2]["bounds"][0]["trials_needed"] > 3);
  CHECK(document["budgets"][3]["invalid"].size() == 1);
  CHECK(document["budgets"][3]["bounds"][0]["outcome"] == "invalid");
}

TEST_CASE("budgets as JUnit: a suite for each path, a case for each bound") {
  const std::string xml = render(all_outcomes(), "junit");
  CHECK_THAT(xml,
             Contains(R"(<testsuites name="tailgate budget" tests="6" failures="1" errors="1" )"
                      R"(skipped="1">)"));
  CHECK_THAT(xml, Contains(R"(<testsuite name="file:mode=mmap at 20k/s, steady" tests="2" )"
                           R"(failures="1" errors="0" skipped="0">)"));
  CHECK_THAT(xml, Contains(R"(name="lost = 0"/>)"));
  CHECK_THAT(xml, Contains("<failure message=\"fail: p99 is 61.00us"));
  CHECK_THAT(xml, !Contains("system-out"));
}

TEST_CASE("budgets as JUnit: what a verdict could not take into account is its suite's output") {
  BudgetVerdicts verdicts = all_outcomes();
  verdicts.list[0].remarks.push_back({"nobody looked & saw", "measure again"});
  CHECK_THAT(render(verdicts, "junit"),
             Contains("<system-out>nobody looked &#38; saw: measure again&#10;</system-out>"));
}

}  // namespace
}  // namespace tailgate
