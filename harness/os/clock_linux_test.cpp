#include "harness/os/clock.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace tailgate;

// std::chrono::steady_clock reads the clock that other languages read.
TEST_CASE("a clock of kind monotonic is steady_clock, moved to the run's start") {
  const ClockParameters parameters = measure_monotonic_clock();
  CHECK(parameters.kind == ClockKind::monotonic);
  CHECK(clock_kind_name(parameters.kind) == "monotonic");
  CHECK(parameters.read_cost_ns > 0);
  const Clock clock(parameters);
  const auto steady_ns = [&] {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
               std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()) -
           parameters.base_ticks;
  };
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before_ns = steady_ns();
    const std::uint64_t now_ns = clock.now_ns();
    const std::uint64_t after_ns = clock.now_after_ns();
    CHECK(before_ns <= now_ns);
    CHECK(now_ns <= after_ns);
    CHECK(after_ns <= steady_ns());
  }
}
