#include "harness/gate/calibration.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "harness/gate/gate.h"
#include "harness/gate/sample_duet.h"

namespace tailgate {
namespace {

CalibrationRun run_of(const std::string& planted, const SampleDuet& sample) {
  const Duet duet = sample_duet(sample);
  return calibration_run(duet, judge(duet, Policy{}, "2026-06-01"), "file", planted, 40);
}

SampleDuet same(std::uint64_t seed, unsigned rounds = 20) {
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

TEST_CASE("the record keeps what decides, and decides alike") {
  const Duet duet = sample_duet(same(1));
  const Verdict verdict = judge(duet, Policy{}, "2026-06-01");
  const CalibrationRun run = calibration_run(duet, verdict, "file", kPlantedNothing, 12.5);
  CHECK(run.outcome == "pass");
  CHECK_FALSE(run.by_rule);
  CHECK(run.tail_events == 20'000);
  CHECK(run.duration_s == 12.5);
  REQUIRE_FALSE(run.metrics.empty());
  CHECK(run.metrics.front().name == "response_ns_p50");
  CHECK(run.metrics.front().a.size() == 20);
  CHECK(outcome_under(run, Policy{}) == "pass");
}

TEST_CASE("records are joined, and a run that is in two of them is told") {
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

TEST_CASE("another policy decides the same rounds anew") {
  const Calibration calibration = record();
  Policy strict;
  for (const MetricKind& kind : metric_kinds()) {
    strict.metrics.push_back({kind.name, kind.name == "response_ns_p50", 1e-6, {}, {}, 1e-5});
  }
  Policy lenient;
  lenient.metrics.push_back({"response_ns_p50", {}, 0.5, {}, {}, 1.0});
  lenient.metrics.push_back({"response_ns_p90", {}, 0.5, {}, {}, 1.0});
  lenient.metrics.push_back({"response_ns_p99", {}, 0.5, {}, {}, 1.0});
  lenient.metrics.push_back({"service_ns_mean", {}, 0.5, {}, {}, {}});
  lenient.metrics.push_back({"cpu_ns_per_event", {}, 0.5, {}, {}, {}});
  CHECK(outcome_under(calibration.runs[0], Policy{}) == "fail");
  CHECK(outcome_under(calibration.runs[0], lenient) == "pass");
  CHECK(outcome_under(calibration.runs[1], strict) != "pass");
}

TEST_CASE("what a rule decided stands under every policy") {
  Duet duet = sample_duet(same(1));
  duet.rounds[3].b.ledger.lost = 2;
  const CalibrationRun lossy =
      calibration_run(duet, judge(duet, Policy{}, "2026-06-01"), "file", kPlantedNothing, 1);
  CHECK(lossy.by_rule);
  CHECK(outcome_under(lossy, Policy{}) == "fail");
  duet.rounds[3].a.ledger.lost = 2;
  const CalibrationRun invalid =
      calibration_run(duet, judge(duet, Policy{}, "2026-06-01"), "file", kPlantedNothing, 1);
  CHECK(outcome_under(invalid, Policy{}) == "invalid");
}

// 0 of 4 failed: at most 1 - .025^(1/4) = 60.2 %; 1 of 1 failed: at least 2.5 %.
TEST_CASE("the table counts verdicts and says how sure they are") {
  const auto rows = summarize(record(), Policy{});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].planted == "none");
  CHECK(rows[0].runs == 4);
  CHECK(rows[0].pass == 4);
  CHECK(rows[0].failed.share == 0);
  CHECK(rows[0].failed.high == Approx(0.6024).margin(0.0001));
  CHECK(rows[0].mean_rounds == 15);
  CHECK(rows[0].mean_duration_s == 40);
  CHECK(rows[1].planted == "slower-20");
  CHECK(rows[1].fail == 1);
  CHECK(rows[1].failed.low == Approx(0.025));
}

// Relabelling gives each round's effects the sign of a coin: a false fail has probability .001 at
// most, so 300 gates have 0.3 on average.
TEST_CASE("relabelled rounds pass as rounds of equal sides do") {
  const auto rows = relabelled(record(), Policy{}, 100, 1);
  REQUIRE(rows.size() > 1);
  CHECK(rows[0].sink == "file");
  CHECK(rows[0].worse.empty());
  CHECK(rows[0].rounds == 80);
  CHECK(rows[0].gates == 100);
  CHECK(rows[0].fail == 0);
  CHECK(rows[0].pass >= 95);
  CHECK(rows[0].failed.high < 0.04);
}

TEST_CASE("too few rounds are not relabelled") {
  Calibration calibration;
  calibration.runs.push_back(run_of(kPlantedNothing, same(1, 10)));
  CHECK(relabelled(calibration, Policy{}, 10, 1).empty());
  CHECK(relabelled(record(), Policy{}, 0, 1).empty());
}

// B's p50 is 20 % above A's in every round of one run, so exchanging sides makes effects of both
// signs: no gate may fail for it, since the coin gives neither side the blame.
TEST_CASE("relabelling takes the blame from either side") {
  Calibration calibration;
  SampleDuet slower = same(5, 50);
  slower.all = 1.2;
  calibration.runs.push_back(run_of(kPlantedNothing, slower));
  const auto rows = relabelled(calibration, Policy{}, 100, 2);
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0].fail == 0);
}

// The sample's rounds differ by 1 to 2 %, so that each change is many standard errors beyond its
// margin in 15 rounds, and half the change within it.
TEST_CASE("each gated ratio, made worse in relabelled rounds, is found") {
  Policy policy;
  policy.metrics.push_back({"response_ns_p90", false, {}, {}, {}, {}});
  policy.metrics.push_back({"response_ns_p99", {}, {}, {}, {}, 0.4});
  std::map<std::string, double> worse_by;
  for (const RelabelledRow& row : relabelled(record(), policy, 50, 1)) {
    CAPTURE(row.worse, row.pass);
    CHECK(row.gates == (row.worse.empty() ? 50 : 5));
    CHECK(row.fail == (row.worse.empty() ? 0 : 5));
    CHECK(row.rounds == 80);
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
