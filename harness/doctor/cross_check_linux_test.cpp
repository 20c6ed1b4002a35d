// Whole cross-checks by the programs that are installed.
#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "harness/doctor/cross_check.h"
#include "harness/doctor/machine_latency.h"
#include "harness/os/affinity.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

TEST_CASE("a datagram's round trips are measured") {
  const LatencySummary trips = measure_ping_pong(Clock(measure_clock()), 50'000'000);
  CHECK(trips.count > 0);
  CHECK(trips.p50_ns > 0);
  CHECK(trips.p50_ns <= trips.max_ns);
}

TEST_CASE("each installed program measures as many rounds as tailgate does", "[long]") {
  const TestDirectory directory;
  const std::vector<CrossCheck> checks =
      run_cross_checks({.cpu = initial_cpus().back(), .rounds = 1, .scratch = directory.path()},
                       Clock(measure_clock()));
  REQUIRE(checks.size() == 2);
  for (const CrossCheck& check : checks) {
    INFO(check.tool << ": " << check.failure);
    CHECK(check.installed == find_program(check.tool).has_value());
    CHECK(check.failure.empty());
    if (!check.installed) continue;
    REQUIRE(check.by_tool.size() == 1);
    REQUIRE(check.by_tailgate.size() == 1);
    CHECK(check.by_tool.front().count > 10);
    CHECK(check.by_tailgate.front().count > 10);
  }
}

}  // namespace
}  // namespace tailgate
