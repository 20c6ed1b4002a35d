#include "harness/cli/selftest_plan.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr const char* kFileLoad = "steady rate_hz=20000";
constexpr const char* kLttngLoad = "steady rate_hz=100000";

void add_runs(Calibration& calibration, const std::string& sink, const char* planted,
              unsigned count, const std::string& load = "") {
  for (unsigned i = 0; i < count; ++i) {
    CalibrationRun& run = calibration.runs.emplace_back();
    run.sink = sink;
    run.scenario = !load.empty() ? load : sink == "file" ? kFileLoad : kLttngLoad;
    run.planted = planted;
    run.duration_s = 30;
    run.metrics = {{"cpu_ns_per_event", {1000, 1000}, {1000, 1000}}};
  }
}

std::vector<WantedRuns> wanted(const std::vector<std::string>& changes = {"none", "slower-10"}) {
  std::vector<WantedRuns> runs;
  for (const auto& [sink, load] : {std::pair("file", kFileLoad), std::pair("lttng", kLttngLoad)}) {
    for (const std::string& change : changes) {
      const std::string setting = std::string(load).substr(std::string("steady ").size());
      runs.push_back({{sink, "steady", {setting}},
                      &find_planted_change(change),
                      load,
                      change == "none" ? 100u : 10u});
    }
  }
  return runs;
}

TEST_CASE("the step with the smallest share of its runs is next, with the load of its sink") {
  Calibration calibration;
  CHECK(next_step(calibration, wanted())->sink.sink == "file");
  add_runs(calibration, "file", "none", 20);
  add_runs(calibration, "file", "slower-10", 3);
  add_runs(calibration, "lttng", "none", 30);
  add_runs(calibration, "lttng", "slower-10", 1);
  const auto step = next_step(calibration, wanted());
  REQUIRE(step);
  CHECK(step->sink.sink == "lttng");
  CHECK(step->sink.settings == std::vector<std::string>{"rate_hz=100000"});
  CHECK(std::string(step->change->name) == "slower-10");
  CHECK(step->options_b == "plant_slower_percent=10");
}

TEST_CASE("nothing is next once every number is reached") {
  Calibration calibration;
  for (const char* sink : {"file", "lttng"}) {
    add_runs(calibration, sink, "none", 100);
    add_runs(calibration, sink, "slower-10", 10);
  }
  CHECK_FALSE(next_step(calibration, wanted()));
  CHECK(runs_left(calibration, wanted()).runs == 0);
}

TEST_CASE("runs at another load do not count, nor tell what the daemon's work is") {
  Calibration calibration;
  add_runs(calibration, "file", "none", 120, "steady rate_hz=10000");
  CHECK(next_step(calibration, wanted())->sink.sink == "file");
  CHECK(runs_left(calibration, wanted()).runs == 220);
  CHECK_FALSE(next_step(calibration, wanted({"daemon-10"})));
}

TEST_CASE("what is left takes as long as what was run") {
  Calibration calibration;
  CHECK(runs_left(calibration, wanted()).runs == 220);
  CHECK(runs_left(calibration, wanted()).seconds == 220 * 60);
  add_runs(calibration, "file", "none", 120);
  CHECK(runs_left(calibration, wanted()).runs == 120);
  CHECK(runs_left(calibration, wanted()).seconds == 120 * 30);
}

TEST_CASE("the daemon's work follows from the sink's own, once that is known") {
  const std::vector<WantedRuns> some = wanted({"daemon-10"});
  Calibration calibration;
  CHECK_FALSE(next_step(calibration, some));
  add_runs(calibration, "lttng", "none", 1);
  const auto step = next_step(calibration, some);
  REQUIRE(step);
  CHECK(step->sink.sink == "lttng");
  CHECK(step->options_b == "plant_daemon_ns=100");
  CHECK_THROWS_AS(find_planted_change("faster"), Error);
}

}  // namespace
}  // namespace tailgate
