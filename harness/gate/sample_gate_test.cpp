#include "harness/gate/sample_gate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Catch::Matchers::Contains;

// Every process gives each figure; 1 % of noise.
SampleSet measured(std::mt19937_64& random, std::size_t processes, double ns,
                   const std::vector<std::string>& benchmarks = {"sort"}) {
  std::normal_distribution<double> noise(1, 0.01);
  SampleCollector collector("test");
  for (std::size_t i = 0; i < processes; ++i) {
    for (const std::string& name : benchmarks) {
      collector.add({name, "real_time", "ns"}, ns * noise(random));
      collector.add({name, "extra", "ns", false}, ns * noise(random));
    }
    collector.end_process();
  }
  return collector.take();
}

SampleComparison comparison_of(SampleSet a, SampleSet b) {
  SampleComparison comparison;
  comparison.format = "gbench";
  comparison.more = "start it more often";
  comparison.a_name = "a.json";
  comparison.b_name = "b.json";
  comparison.a = std::move(a);
  comparison.b = std::move(b);
  return comparison;
}

TEST_CASE("ten per cent more fail, none pass") {
  std::mt19937_64 random(1);
  const SampleSet a = measured(random, 10, 100);
  const Verdict worse =
      judge_samples(comparison_of(a, measured(random, 10, 110)), default_policy());
  CHECK(worse.outcome == VerdictOutcome::fail);
  CHECK_THAT(worse.reasons.front().what, Contains("sort real_time changed by +"));
  CHECK(worse.metrics.front().effect == Approx(0.10).margin(0.02));
  CHECK(*worse.metrics.front().effect_low < *worse.metrics.front().effect_high);
  const Verdict same = judge_samples(comparison_of(a, measured(random, 10, 100)), default_policy());
  CHECK(same.outcome == VerdictOutcome::pass);
  CHECK(same.metrics[1].decision == MetricOutcome::reported);
  const Verdict better =
      judge_samples(comparison_of(a, measured(random, 10, 80)), default_policy());
  CHECK(better.outcome == VerdictOutcome::pass);
}

TEST_CASE("a figure at its margin is inconclusive, with the repetitions that would decide") {
  std::mt19937_64 random(2);
  SampleComparison comparison = comparison_of(measured(random, 8, 100), measured(random, 8, 104.5));
  const Verdict verdict = judge_samples(comparison, default_policy());
  CHECK(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK(*verdict.rounds_needed > 8);
  comparison.margin = 0.2;
  CHECK(judge_samples(comparison, default_policy()).outcome == VerdictOutcome::pass);
}

// 14! / (7! 7!) = 3432 relabellings are the first that go below 0.001.
TEST_CASE("too few repetitions are inconclusive, whatever they say") {
  std::mt19937_64 random(3);
  const Verdict verdict = judge_samples(
      comparison_of(measured(random, 6, 100), measured(random, 6, 200)), default_policy());
  CHECK(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK(verdict.rounds_needed == 7);
  CHECK_THAT(verdict.reasons.front().what, Contains("6 repetitions"));
  CHECK(verdict.reasons.front().remedy == "start it more often");
}

TEST_CASE("values of one process are refused") {
  SampleCollector pooled("test");
  for (int i = 0; i < 50; ++i) pooled.add({"sort", "real_time", "ns"}, 100 + i);
  pooled.end_process();
  const SampleSet one = pooled.take();
  const Verdict verdict = judge_samples(comparison_of(one, one), default_policy());
  CHECK(verdict.outcome == VerdictOutcome::invalid);
  REQUIRE(verdict.reasons.size() == 2);
  CHECK_THAT(verdict.reasons.front().what, Contains("side A is one process: its 50 repetitions"));
  CHECK_THAT(verdict.reasons.front().remedy, Contains("start it more often; or let"));
}

TEST_CASE("sides of different machines are invalid") {
  std::mt19937_64 random(4);
  SampleComparison comparison = comparison_of(measured(random, 10, 100), measured(random, 10, 100));
  comparison.a.machines = {"one"};
  CHECK(judge_samples(comparison, default_policy()).outcome == VerdictOutcome::pass);
  comparison.b.machines = {"two"};
  CHECK(judge_samples(comparison, default_policy()).outcome == VerdictOutcome::invalid);
}

TEST_CASE("a figure that a side lacks, or that is 0, is not judged") {
  std::mt19937_64 random(5);
  SampleComparison comparison = comparison_of(measured(random, 10, 100, {"sort", "old"}),
                                              measured(random, 10, 100, {"sort", "new"}));
  comparison.b.series[0].values[3] = 0;
  const Verdict verdict = judge_samples(comparison, default_policy());
  CHECK(verdict.outcome == VerdictOutcome::invalid);
  CHECK(std::none_of(verdict.metrics.begin(), verdict.metrics.end(),
                     [](const MetricJudgement& metric) { return metric.is_gated(); }));
  CHECK_THAT(verdict.reasons.front().what, Contains("no figure can be judged"));
}

TEST_CASE("the metrics that the user names are judged in place of the headlines") {
  std::mt19937_64 random(6);
  SampleComparison comparison = comparison_of(measured(random, 10, 100), measured(random, 10, 100));
  comparison.metrics = {"extra"};
  const Verdict verdict = judge_samples(comparison, default_policy());
  CHECK(verdict.metrics[0].decision == MetricOutcome::reported);
  CHECK(verdict.metrics[1].decision == MetricOutcome::pass);
  comparison.metrics = {"extras"};
  CHECK_THROWS_AS(judge_samples(comparison, default_policy()), Error);
}

TEST_CASE("figures with different numbers of repetitions share the errors") {
  std::mt19937_64 random(7);
  SampleCollector a("a");
  SampleCollector b("b");
  std::normal_distribution<double> noise(1, 0.01);
  for (int i = 0; i < 20; ++i) {
    a.add_repetition({"one", "time", "ns"}, noise(random));
    b.add_repetition({"one", "time", "ns"}, noise(random));
    if (i >= 9) continue;
    a.add_repetition({"two", "time", "ns"}, noise(random));
    b.add_repetition({"two", "time", "ns"}, 1.1 * noise(random));
  }
  const Verdict verdict = judge_samples(comparison_of(a.take(), b.take()), default_policy());
  CHECK(verdict.outcome == VerdictOutcome::fail);
  CHECK(verdict.metrics[0].decision == MetricOutcome::pass);
  CHECK(verdict.metrics[1].decision == MetricOutcome::fail);
}

TEST_CASE("too many values for a test are no repetitions") {
  SampleCollector many("many");
  for (int i = 0; i < 3000; ++i) many.add_repetition({"", "value", ""}, 1 + i);
  const SampleSet samples = many.take();
  CHECK_THROWS_AS(judge_samples(comparison_of(samples, samples), default_policy()), Error);
}

}  // namespace
}  // namespace tailgate
