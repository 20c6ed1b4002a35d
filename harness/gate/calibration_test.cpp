#include "harness/gate/calibration.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/gate/gate.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

CalibrationRun run_of(const std::string& planted, const SampleDuet& sample) {
  const Duet duet = sample_duet(sample);
  return calibration_run(duet, judge(duet, default_policy(), "2026-06-01"), "file", planted, 40);
}

SampleDuet same(std::uint64_t seed, unsigned rounds = 30) {
  SampleDuet sample;
  sample.seed = seed;
  sample.rounds = rounds;
  return sample;
}

Calibration record() {
  Calibration calibration;
  SampleDuet slower = same(9);
  slower.all = 1.2;
  calibration.runs.push_back(run_of("slower-20", slower));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    calibration.runs.push_back(run_of(kPlantedNothing, same(seed)));
  }
  return calibration;
}

TEST_CASE("a recorded run has the outcome of its duet") {
  const Duet duet = sample_duet(same(1));
  const Verdict verdict = judge(duet, default_policy(), "2026-06-01");
  const CalibrationRun run = calibration_run(duet, verdict, "file", kPlantedNothing, 12.5);
  CHECK(run.outcome == "pass");
  CHECK_FALSE(run.by_rule);
  CHECK(run.tail_events == 20'000);
  CHECK(run.duration_s == 12.5);
  REQUIRE_FALSE(run.metrics.empty());
  CHECK(run.metrics.front().name == "response_ns_p50");
  CHECK(run.metrics.front().a.size() == 30);
  CHECK(outcome_under(run, default_policy()) == "pass");
}

TEST_CASE("a metric that a round lacks keeps its place in the record") {
  Duet duet = sample_duet(same(1));
  duet.rounds[4].a.cpu_ns.reset();
  const CalibrationRun run = calibration_run(duet, judge(duet, default_policy(), "2026-06-01"),
                                             "file", kPlantedNothing, 1);
  Calibration record;
  record.runs = {run};
  CHECK(joined({record}).runs.size() == 1);
  for (const MetricSeries& series : run.metrics) {
    if (series.name != "cpu_ns_per_event") continue;
    CHECK(series.a.size() == 30);
    CHECK(std::isnan(series.a[4]));
    CHECK(std::isnan(series.b[4]));
    CHECK(series.a[5] > 0);
    return;
  }
  FAIL("cpu_ns_per_event is not recorded");
}

TEST_CASE("records are joined, a run that is in two of them is refused") {
  CalibrationRun monday;
  monday.sink = "file";
  monday.fingerprint = "aa11";
  monday.started_utc = "2026-06-01T01:00:00Z";
  CalibrationRun elsewhere = monday;
  elsewhere.fingerprint = "bb22";
  CalibrationRun tuesday = monday;
  tuesday.started_utc = "2026-06-02T01:00:00Z";
  Calibration first;
  first.runs = {monday};
  Calibration second;
  second.runs = {elsewhere, tuesday};
  CHECK(joined({first, {}, second}).runs.size() == 3);
  second.runs.push_back(monday);
  CHECK_THROWS_WITH(joined({first, second}), Catch::Contains("'file'") &&
                                                 Catch::Contains("2026-06-01T01:00:00Z") &&
                                                 Catch::Contains("twice"));
}

TEST_CASE("values that no duet can have are refused") {
  Calibration calibration;
  CalibrationRun& run = calibration.runs.emplace_back();
  run.sink = "file";
  run.started_utc = "2026-06-01T01:00:00Z";
  const auto refused = Catch::Contains("'file' at 2026-06-01T01:00:00Z has values of");
  for (const double value : {0.0, -3.0, 1e300}) {
    CAPTURE(value);
    run.metrics = {{"rss_bytes", {4096, value}, {4096, 8192}}};
    CHECK_THROWS_WITH(joined({calibration}), refused && Catch::Contains("rss_bytes"));
    run.metrics = {{"rss_bytes", {4096, 8192}, {value, 8192}}};
    CHECK_THROWS_WITH(joined({calibration}), refused);
  }
  run.metrics = {{"rss_bytes", {4096, std::nan("")}, {4096, 8192}}};
  CHECK_THROWS_WITH(joined({calibration}), refused);
  run.metrics = {{"stalled_ms", {std::nan(""), std::nan("")}, {std::nan(""), std::nan("")}}};
  CHECK_THROWS_WITH(joined({calibration}), refused);
  run.metrics = {{"calls_blocked", {0, -1e308}, {0, 1e308}}};
  CHECK_THROWS_WITH(joined({calibration}), refused);
  run.metrics = {{"calls_blocked", {0, 3}, {0, 0}}, {"unknown", {0}, {0}}};
  CHECK(joined({calibration}).runs.size() == 1);
}

TEST_CASE("another policy is applied to the recorded rounds") {
  const Calibration calibration = record();
  Policy strict = default_policy();
  ScopedSettings& only_median = strict.settings.emplace_back();
  for (const MetricKind& kind : metric_kinds()) {
    only_median.metrics.push_back({.metric = std::string(kind.name),
                                   .gate = kind.name == "response_ns_p50",
                                   .margin = 1e-6,
                                   .find = 1e-5});
  }
  Policy lenient = default_policy();
  lenient.settings.push_back({{},
                              {{.metric = "response_ns_p50", .margin = 0.5, .find = 1.0},
                               {.metric = "response_ns_p90", .margin = 0.5, .find = 1.0},
                               {.metric = "response_ns_p99", .margin = 0.5, .find = 1.0},
                               {.metric = "service_ns_mean", .margin = 0.5},
                               {.metric = "cpu_ns_per_event", .margin = 0.5}}});
  CHECK(outcome_under(calibration.runs[0], default_policy()) == "fail");
  CHECK(outcome_under(calibration.runs[0], lenient) == "pass");
  CHECK(outcome_under(calibration.runs[1], strict) != "pass");
}

TEST_CASE("an outcome that a rule decided is the same under every policy") {
  Duet duet = sample_duet(same(1));
  duet.rounds[3].b.ledger.lost = 2;
  const CalibrationRun lossy = calibration_run(duet, judge(duet, default_policy(), "2026-06-01"),
                                               "file", kPlantedNothing, 1);
  CHECK(lossy.by_rule);
  CHECK(outcome_under(lossy, default_policy()) == "fail");
  duet.b.load.rate_hz = 1;
  const CalibrationRun invalid = calibration_run(duet, judge(duet, default_policy(), "2026-06-01"),
                                                 "file", kPlantedNothing, 1);
  CHECK(outcome_under(invalid, default_policy()) == "invalid");
}

// 0 of 4 failed: at most 1 - .025^(1/4) = 60.2 %; 1 of 1 failed: at least 2.5 %.
TEST_CASE("the table counts verdicts and has exact intervals") {
  const auto rows = summarize(record(), default_policy());
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].planted == "none");
  CHECK(rows[0].runs == 4);
  CHECK(rows[0].pass == 4);
  CHECK(rows[0].failed.share == 0);
  CHECK(rows[0].failed.high == Approx(0.6024).margin(0.0001));
  CHECK(rows[0].mean_rounds == 30);
  CHECK(rows[0].mean_duration_s == 40);
  CHECK(rows[1].planted == "slower-20");
  CHECK(rows[1].fail == 1);
  CHECK(rows[1].failed.low == Approx(0.025));
}

// A coin gives each round's effects their sign, so a false fail has a probability of .001 at most:
// 0.1 expected in 100 gates.
TEST_CASE("gates on relabelled rounds of equal sides pass", "[long]") {
  const auto rows = relabelled(record(), default_policy(), 100, 1);
  REQUIRE(rows.size() > 1);
  CHECK(rows[0].sink == "file");
  CHECK(rows[0].worse.empty());
  CHECK(rows[0].rounds == 120);
  CHECK(rows[0].gates == 100);
  CHECK(rows[0].fail == 0);
  CHECK(rows[0].pass >= 95);
  CHECK(rows[0].failed.high < 0.04);
}

TEST_CASE("runs of a sink at two loads have rows of their own, and share no rounds") {
  Calibration calibration = record();
  const std::size_t runs = calibration.runs.size();
  for (std::size_t i = 0; i < runs; ++i) {
    CalibrationRun slow = calibration.runs[i];
    slow.scenario = "steady rate_hz=5000";
    calibration.runs.push_back(std::move(slow));
  }
  const auto rows = summarize(calibration, default_policy());
  const auto of_one = summarize(record(), default_policy());
  REQUIRE(rows.size() == 2 * of_one.size());
  CHECK(rows.front().load == record().runs.front().scenario);
  CHECK(rows.front().runs == of_one.front().runs);
  CHECK(rows.back().load == "steady rate_hz=5000");
  const auto gates = relabelled(calibration, default_policy(), 10, 1);
  REQUIRE_FALSE(gates.empty());
  for (const RelabelledRow& row : gates) CHECK(row.rounds == 120);
  CHECK(gates.back().load == "steady rate_hz=5000");
}

TEST_CASE("too few rounds are not relabelled") {
  Calibration calibration;
  calibration.runs.push_back(run_of(kPlantedNothing, same(1, 10)));
  CHECK(relabelled(calibration, default_policy(), 10, 1).empty());
  CHECK(relabelled(record(), default_policy(), 0, 1).empty());
}

// Side B's times are 20 % above A's in every round of one run. The coin exchanges the sides of half
// the rounds, so neither side is worse, and no gate may fail.
TEST_CASE("gates on relabelled rounds do not fail when one side was slower", "[long]") {
  Calibration calibration;
  SampleDuet slower = same(5, 50);
  slower.all = 1.2;
  calibration.runs.push_back(run_of(kPlantedNothing, slower));
  const auto rows = relabelled(calibration, default_policy(), 100, 2);
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0].fail == 0);
}

// In 50 rounds of a second, stalls of B alone, once a second, are 50 of 50: beyond any margin. Once
// in 30 seconds they are one or two: too few for any test to distinguish from none.
TEST_CASE("gates on relabelled rounds find stalls where they are frequent", "[long]") {
  std::map<std::pair<double, double>, RelabelledRow> of_stall;
  for (const RelabelledRow& row : relabelled(record(), default_policy(), 100, 1)) {
    if (row.stall) of_stall[{row.stall->length_ms, row.stall->every_s}] = row;
  }
  REQUIRE(of_stall.size() == 6);
  const RelabelledRow& frequent = of_stall.at({5, 1});
  CHECK(frequent.gates == 10);
  CHECK(frequent.fail == 10);
  const RelabelledRow& rare = of_stall.at({100, 30});
  CAPTURE(rare.pass, rare.fail);
  CHECK(rare.fail == 0);
}

TEST_CASE("stalls are added to the slow calls and to their time, of side B alone") {
  CalibrationRun run = record().runs.back();
  const CalibrationRun before = run;
  std::mt19937_64 random(3);
  add_stalls({5, 0.25}, random, run);
  const auto sum = [](const CalibrationRun& of, const std::string& name, bool b) {
    for (const MetricSeries& series : of.metrics) {
      if (series.name != name) continue;
      const std::vector<double>& values = b ? series.b : series.a;
      return std::accumulate(values.begin(), values.end(), 0.0);
    }
    return std::nan("");
  };
  const double more = sum(run, "calls_over_1ms", true) - sum(before, "calls_over_1ms", true);
  // 30 rounds of a second have 120 on average, with a standard deviation of 11.
  CHECK(more > 120 - 5 * 11);
  CHECK(more < 120 + 5 * 11);
  CHECK(sum(run, "calls_over_100us", true) - sum(before, "calls_over_100us", true) == Approx(more));
  CHECK(sum(run, "stalled_ms", true) - sum(before, "stalled_ms", true) == Approx(5 * more));
  CHECK(sum(run, "calls_over_1ms", false) == sum(before, "calls_over_1ms", false));
  CHECK(sum(run, "response_ns_p50", true) == sum(before, "response_ns_p50", true));
}

// The ratios of the sample's rounds vary by 1 to 2 %, so after 15 rounds each change is many
// standard errors beyond its margin.
TEST_CASE("gates on relabelled rounds detect each gated ratio that is made worse", "[long]") {
  Policy policy = default_policy();
  policy.settings.push_back(
      {{},
       {{.metric = "response_ns_p90", .gate = false}, {.metric = "response_ns_p99", .find = 0.4}}});
  std::map<std::string, double> worse_by;
  for (const RelabelledRow& row : relabelled(record(), policy, 50, 1)) {
    CAPTURE(row.worse, row.pass);
    if (row.stall) continue;
    CHECK(row.gates == (row.worse.empty() ? 50 : 5));
    CHECK(row.fail == (row.worse.empty() ? 0 : 5));
    CHECK(row.rounds == 120);
    worse_by[row.worse] = row.worse_by;
  }
  CHECK(worse_by.at("response_ns_p50") == 0.1);
  CHECK(worse_by.at("response_ns_p99") == 0.4);
  CHECK(worse_by.at("response_ns_p99_9") == 1.0);
  CHECK(worse_by.at("cpu_ns_per_event") == 0.1);
  CHECK(worse_by.count("response_ns_p90") == 0);
  CHECK(worse_by.count("calls_blocked") == 0);
  CHECK(worse_by.count("response_ns_max") == 0);
}

}  // namespace
}  // namespace tailgate
