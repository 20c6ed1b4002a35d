#include "harness/gate/make_margins.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "harness/gate/calibration.h"

namespace tailgate {
namespace {

constexpr unsigned kRuns = 20;

// Runs of 15 rounds whose memory differs between equal sides by a logarithm with that standard
// deviation. spread: of the run that starts at that time.
template <class Spread>
Calibration record(Spread spread) {
  Calibration calibration;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (unsigned i = 0; i < kRuns; ++i) {
    CalibrationRun& run = calibration.runs.emplace_back();
    run.sink = "file";
    run.planted = kPlantedNothing;
    run.scenario = "steady rate_hz=20000";
    run.started_utc = "run " + std::to_string(i);
    run.fingerprint = "aa11";
    run.tail_events = 19'000;
    MetricSeries& memory = run.metrics.emplace_back();
    memory.name = "rss_bytes";
    for (int round = 0; round < 15; ++round) {
      memory.a.push_back(1e9);
      memory.b.push_back(1e9 * std::exp(spread(run.started_utc) * normal(random)));
    }
  }
  return calibration;
}

MeasuredSink measured(const Calibration& calibration) {
  MarginSearch search;
  search.gates = 300;
  search.found_gates = 100;
  const auto sinks =
      measure_margins(calibration, default_policy(), search, [](const std::string&) {});
  REQUIRE(sinks.size() == 1);
  REQUIRE(sinks[0].metrics.size() == 1);
  CHECK(sinks[0].metrics[0].metric == "rss_bytes");
  CHECK(sinks[0].metrics[0].policy_margin == 0.05);
  return sinks[0];
}

MeasuredSink measured(double spread) {
  return measured(record([spread](const std::string&) { return spread; }));
}

// Of 50 rounds the mean logarithm has the standard error s / sqrt(50). A pass at a level of 1/60
// lies 2.1 of them below the margin, and 99.8 % of the means lie within 2.9: the margin is about
// 5 s / sqrt(50) = 0.71 s. Earlier looks and the test's scale move it by some tenths of that. A
// fail at 1/3000 lies 3.4 beyond the margin, and 95 % of the means within 1.6: again about 5.
TEST_CASE("margin and the change that is found follow from the spread of the rounds", "[long]") {
  const double spread = GENERATE(0.02, 0.04);
  CAPTURE(spread);
  const MeasuredSink sink = measured(spread);
  CHECK(sink.sink == "file");
  CHECK(sink.load == "steady rate_hz=20000");
  CHECK(sink.first_rounds == 150);
  CHECK(sink.second_rounds == 150);
  const MeasuredMargin& memory = sink.metrics[0];
  REQUIRE(memory.margin);
  CHECK(*memory.margin >= 0.4 * spread);
  CHECK(*memory.margin <= 1.1 * spread);
  REQUIRE(memory.finds);
  CHECK(*memory.finds - *memory.margin >= 0.4 * spread);
  CHECK(*memory.finds - *memory.margin <= 1.1 * spread);
  REQUIRE(memory.policy_finds);
  CHECK(*memory.policy_finds > *memory.finds);
  CHECK(sink.new_passes >= 0.98);
  CHECK(sink.new_fails == 0);
}

TEST_CASE("quiet rounds get the smallest margin that is tried, noisy ones none", "[long]") {
  const MeasuredMargin quiet = measured(0.0005).metrics[0];
  CHECK(quiet.margin == 0.01);
  const MeasuredMargin noisy = measured(0.3).metrics[0];
  CHECK_FALSE(noisy.margin);
  CHECK_THAT(noisy.why_none, Catch::Contains("do not pass often enough"));
  CHECK(noisy.finds == noisy.policy_finds);
}

TEST_CASE("a margin that the second half does not confirm is dropped", "[long]") {
  const std::vector<std::string> first = measured(0.005).first_runs;
  REQUIRE(first.size() == kRuns / 2);
  const MeasuredSink sink = measured(record([&](const std::string& run) {
    return std::find(first.begin(), first.end(), run) != first.end() ? 0.005 : 0.06;
  }));
  CHECK(sink.first_runs == first);
  CHECK_FALSE(sink.metrics[0].margin);
  CHECK_THAT(sink.metrics[0].why_none, Catch::Contains("did not confirm 1 %"));
}

// With effects of pairs of layouts alone each of 50 rounds has its own, so they act as the spread
// of rounds does above.
TEST_CASE("margins of times leave room for the layouts of two builds", "[long]") {
  Calibration calibration = record([](const std::string&) { return 0.001; });
  for (CalibrationRun& run : calibration.runs) run.metrics[0].name = "response_ns_p50";
  Policy policy = default_policy();
  const auto margin = [&](double spread) {
    policy.settings.push_back({{}, {}, spread});
    const MarginSearch search{.gates = 300, .found_gates = 100};
    const auto sinks = measure_margins(calibration, policy, search, [](const std::string&) {});
    REQUIRE(sinks.size() == 1);
    CHECK(sinks[0].layout_spread == spread);
    REQUIRE(sinks[0].metrics.size() == 1);
    return sinks[0].metrics[0].margin.value_or(1);
  };
  CHECK(margin(0) == 0.02);
  CHECK(margin(0.01) == 0.02);
  const double wide = margin(0.05);
  CHECK(wide > 0.4 * 0.05);
  CHECK(wide <= 0.05);
  CHECK(margin(0.2) == 1);
}

TEST_CASE("a metric of which more than its margin is tolerated anyway keeps the policy's") {
  Calibration calibration = record([](const std::string&) { return 0.02; });
  for (CalibrationRun& run : calibration.runs) {
    run.metrics[0].name = "start_ms";
    for (double& value : run.metrics[0].a) value = 2;
    for (double& value : run.metrics[0].b) value = 3;
  }
  const MarginSearch search{.gates = 100, .found_gates = 40};
  const auto sinks =
      measure_margins(calibration, default_policy(), search, [](const std::string&) {});
  REQUIRE(sinks.size() == 1);
  REQUIRE(sinks[0].metrics.size() == 1);
  CHECK(sinks[0].metrics[0].metric == "start_ms");
  CHECK_FALSE(sinks[0].metrics[0].margin);
  CHECK(sinks[0].metrics[0].why_none == "10 ms are tolerated anyway, which is its margin or more");
  CHECK_THAT(write_machine_class(sinks, "aa11", "", search),
             Catch::Contains("# start_ms: 10 ms are tolerated anyway"));
}

TEST_CASE("the written class is read back, whatever a record's texts hold") {
  Calibration calibration = record([](const std::string&) { return 0.005; });
  for (CalibrationRun& run : calibration.runs) run.sink = "file:\"\n]x=\x1b";
  const MarginSearch search{.gates = 100, .found_gates = 40};
  const auto sinks =
      measure_margins(calibration, default_policy(), search, [](const std::string&) {});
  REQUIRE(sinks.size() == 1);
  const std::string text = write_machine_class(sinks, "aa11", "2 x a\nprocessor", search);
  const MachineClass read = parse_machine_class(text, "x.toml");
  CHECK(read.machines == std::vector<std::string>{"aa11"});
  REQUIRE(read.margins.size() == 1);
  CHECK(read.margins[0].sink == sinks[0].sink);
  CHECK(read.margins[0].margin == Approx(*sinks[0].metrics[0].margin));
  CHECK(read.margins[0].finds == Approx(*sinks[0].metrics[0].finds).epsilon(0.01));
}

TEST_CASE("too few rounds measure nothing") {
  Calibration calibration = record([](const std::string&) { return 0.02; });
  calibration.runs.resize(4);
  CHECK(measure_margins(calibration, default_policy(), {}, [](const std::string&) {}).empty());
}

}  // namespace
}  // namespace tailgate
