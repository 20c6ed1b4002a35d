#include "harness/cli/gate.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "harness/base/testing/test_directory.h"
#include "harness/cli/commands.h"
#include "harness/cli/compare.h"
#include "harness/result/files.h"
#include "harness/result/sample.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

void save_sample(const std::filesystem::path& path, double factor) {
  SampleDuet sample;
  sample.all = factor;
  save_duet(path, sample_duet(sample));
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the exit code is the worst verdict's") {
  const TestDirectory directory;
  const auto good = directory.path() / "good.json";
  const auto bad = directory.path() / "bad.json";
  save_sample(good, 1);
  save_sample(bad, 1.2);
  std::ostringstream out;
  CHECK(gate({.paths = {good}}, out) == 0);
  CHECK_THAT(out.str(), Catch::StartsWith("PASS"));
  CHECK(gate({.paths = {good, bad}}, out) == 1);
  // A directory stands for the duets inside it; other files there are passed over.
  save_result(directory.path() / "result.json", sample_result());
  CHECK(gate({.paths = {directory.path()}}, out) == 1);
}

TEST_CASE("verdicts are written to the files that were asked for") {
  const TestDirectory directory;
  const auto duet = directory.path() / "duet.json";
  save_sample(duet, 1);
  std::ostringstream out;
  gate({.paths = {duet},
        .files = {{"json", directory.path() / "v.json"}, {"junit", directory.path() / "v.xml"}}},
       out);
  CHECK_THAT(content(directory.path() / "v.json"), Contains("\"outcome\": \"pass\""));
  CHECK(nlohmann::json::parse(content(directory.path() / "v.json"))[0]["duet"] == duet.string());
  CHECK_THAT(content(directory.path() / "v.xml"), Catch::StartsWith("<?xml"));
}

TEST_CASE("a policy is used, and one that does not fit is a usage error") {
  const TestDirectory directory;
  const auto duet = directory.path() / "duet.json";
  save_sample(duet, 1.2);
  const auto policy = directory.path() / "policy.toml";
  std::ofstream(policy) << "[metrics]\nresponse_ns_p50 = { margin = 0.5, find = 1 }\n"
                           "response_ns_p90 = { margin = 0.5, find = 1 }\n"
                           "response_ns_p99 = { margin = 0.5, find = 1 }\n"
                           "service_ns_mean.margin = 0.5\ncpu_ns_per_event.margin = 0.5\n";
  std::ostringstream out;
  CHECK(gate({.paths = {duet}}, out) == 1);
  CHECK(gate({.paths = {duet}, .policy = policy}, out) == 0);
  std::ofstream(policy) << "[gate]\nlooks = 3\n";
  CHECK_THROWS_AS(gate({.paths = {duet}, .policy = policy}, out), UsageError);
}

TEST_CASE("a result by itself gets no verdict") {
  const TestDirectory directory;
  const auto result = directory.path() / "result.json";
  save_result(result, sample_result());
  std::ostringstream out;
  CHECK_THROWS_WITH(gate({.paths = {result}}, out),
                    Contains("not a duet") && Contains("--baseline"));
  CHECK_THROWS_WITH(gate({.paths = {directory.path()}}, out), Contains("holds no duet"));
  CHECK_THROWS_AS(gate({.paths = {directory.path() / "none.json"}}, out), UsageError);
}

TEST_CASE("a duet that left no file has a verdict, too") {
  const TestDirectory directory;
  const auto good = directory.path() / "good.json";
  const auto junit = directory.path() / "v.xml";
  save_sample(good, 1);
  const MissingDuet cut = {"inconclusive", "steady", "lttng", "no time was left"};
  const MissingDuet broken = {"invalid", "steady", "file:mode=mmap", "it ended with exit code 9"};
  std::ostringstream out;
  CHECK(gate({.paths = {good}, .missing = {cut}, .files = {{"junit", junit}}}, out) == 3);
  CHECK_THAT(out.str(), Contains("INCONCLUSIVE  lttng; steady\n  ! no time was left"));
  CHECK_THAT(content(junit), Contains("<testsuite name=\"lttng; steady\" tests=\"1\""));
  CHECK(gate({.paths = {good}, .missing = {cut, broken}, .files = {{"junit", junit}}}, out) == 4);
  CHECK_THAT(content(junit), Contains("message=\"invalid: it ended with exit code 9"));
  CHECK(gate({.missing = {broken}}, out) == 4);
  CHECK_THROWS_AS(gate({.missing = {{"pass", "steady", "file", "?"}}}, out), UsageError);
  CHECK_THROWS_AS(gate({}, out), UsageError);
}

TEST_CASE("a stored baseline gives neither pass nor fail, and the reason") {
  const TestDirectory directory;
  Result clean = sample_result();
  clean.trials.resize(2);
  const auto before = directory.path() / "before.json";
  const auto after = directory.path() / "after.json";
  save_result(before, clean);
  save_result(after, clean);
  std::ostringstream out;
  CHECK(gate({.paths = {after}, .baseline = before}, out) == 3);
  CHECK_THAT(out.str(), Contains("NOT TAKEN IN DUET") && Contains("turns on one processor"));
  clean.machine.fingerprint = "elsewhere";
  save_result(after, clean);
  const auto verdicts = directory.path() / "v.json";
  CHECK(gate({.paths = {after}, .baseline = before, .files = {{"json", verdicts}}}, out) == 4);
  const auto list = nlohmann::json::parse(content(verdicts));
  REQUIRE(list.size() == 1);
  CHECK(list[0]["outcome"] == "invalid");
  CHECK(list[0]["b"] == after.string());
  CHECK_THAT(list[0]["reasons"][0]["what"].get<std::string>(), Contains("different machines"));
  const MissingDuet missing = {"invalid", "steady", "file", "it crashed"};
  CHECK_THROWS_AS(gate({.paths = {after}, .missing = {missing}, .baseline = before}, out),
                  UsageError);
}

TEST_CASE("comparing needs two results or one duet") {
  const TestDirectory directory;
  const auto result = directory.path() / "result.json";
  const auto duet = directory.path() / "duet.json";
  save_result(result, sample_result());
  save_sample(duet, 1.1);
  std::ostringstream out;
  CHECK_THROWS_AS(compare({.paths = {result}}, out), UsageError);
  compare({.paths = {result, result}}, out);
  CHECK_THAT(out.str(), Contains("NOT TAKEN IN DUET"));
  std::ostringstream of_duet;
  compare({.paths = {duet}}, of_duet);
  CHECK_THAT(of_duet.str(), Contains("50 rounds"));
  CHECK_THROWS_AS(compare({.paths = {duet}, .json = true}, of_duet), UsageError);
}

// Duets that fail where their share of the probability is at least this.
std::vector<std::string> outcomes_together(const std::vector<double>& p_values) {
  std::vector<std::function<Verdict(const Policy&)>> duets;
  for (const double p : p_values) {
    duets.emplace_back([p](const Policy& policy) {
      Verdict verdict;
      verdict.outcome =
          p <= policy.looks.false_fail ? VerdictOutcome::fail : VerdictOutcome::inconclusive;
      return verdict;
    });
  }
  std::vector<std::string> outcomes;
  for (const Verdict& verdict : judge_together(duets, default_policy())) {
    outcomes.emplace_back(enum_text(verdict.outcome));
  }
  return outcomes;
}

// Holm's procedure at 0.001: the smallest against 0.001 / 3, the next against 0.001 / 2, the last
// against 0.001.
TEST_CASE("duets that are judged together share the probability of a false fail") {
  using Outcomes = std::vector<std::string>;
  CHECK(outcomes_together({0.0009}) == Outcomes{"fail"});
  CHECK(outcomes_together({0.0009, 0.5, 0.5}) ==
        Outcomes{"inconclusive", "inconclusive", "inconclusive"});
  CHECK(outcomes_together({0.0009, 0.0002, 0.0004}) == Outcomes{"fail", "fail", "fail"});
  CHECK(outcomes_together({0.0009, 0.0002, 0.0006}) ==
        Outcomes{"inconclusive", "fail", "inconclusive"});
  CHECK_THAT(false_fails_text(default_policy()),
             Catch::Contains("at most 1 in 1000") && Catch::Contains("at most 7.3 a year"));
}

TEST_CASE("a policy by which no duet of many could fail is refused") {
  Policy policy = default_policy();
  policy.looks.rounds = {8};
  policy.looks.resumed.clear();
  policy.looks.false_fail = 0.02;
  CHECK(shared_by(policy, 5).looks.fail_level() == Approx(0.004));
  CHECK_THROWS_AS(shared_by(policy, 6), UsageError);
}

// 15 pairs of layouts have 2^15 patterns, whatever the number of rounds: nine tenths of 0.001 among
// 9 duets at three looks are 1.09 of them, among 10 they are 0.98. (A tenth is for resumed duets.)
TEST_CASE("a policy by which no duet could fail with so few layouts is refused") {
  Policy policy = default_policy();
  policy.looks.clusters = 15;
  CHECK(shared_by(policy, 9).looks.false_fail == Approx(0.001 / 9));
  CHECK_THROWS_WITH(shared_by(policy, 10), Catch::Contains("15 layouts can tell"));
  policy.looks.clusters = 20;
  CHECK(shared_by(policy, 300).looks.false_fail == Approx(0.001 / 300));
  policy.looks.clusters = 8;
  CHECK_THROWS_AS(shared_by(policy, 1), UsageError);
}

}  // namespace
}  // namespace tailgate
