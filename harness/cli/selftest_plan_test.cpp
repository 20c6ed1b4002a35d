#include "harness/cli/selftest_plan.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

namespace tailgate {
namespace {

void add_runs(Calibration& calibration, const char* sink, const char* planted, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    CalibrationRun& run = calibration.runs.emplace_back();
    run.sink = sink;
    run.planted = planted;
    run.duration_s = 30;
    run.metrics = {{"cpu_ns_per_event", {1000, 1000}, {1000, 1000}}};
  }
}

WantedRuns wanted() {
  return {{{"file", "steady", {"rate_hz=20000"}}, {"lttng", "steady", {"rate_hz=100000"}}},
          {"none", "slower-10"},
          100,
          10};
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

TEST_CASE("what is left takes as long as what was run") {
  Calibration calibration;
  CHECK(runs_left(calibration, wanted()).runs == 220);
  CHECK(runs_left(calibration, wanted()).seconds == 220 * 60);
  add_runs(calibration, "file", "none", 120);
  CHECK(runs_left(calibration, wanted()).runs == 120);
  CHECK(runs_left(calibration, wanted()).seconds == 120 * 30);
}

TEST_CASE("the daemon's work follows from the sink's own, once that is known") {
  WantedRuns some = wanted();
  some.changes = {"daemon-10"};
  Calibration calibration;
  CHECK_FALSE(next_step(calibration, some));
  add_runs(calibration, "lttng", "none", 1);
  const auto step = next_step(calibration, some);
  REQUIRE(step);
  CHECK(step->sink.sink == "lttng");
  CHECK(step->options_b == "plant_daemon_ns=100");
  some.changes = {"faster"};
  CHECK_THROWS_AS(next_step(calibration, some), Error);
}

}  // namespace
}  // namespace tailgate
