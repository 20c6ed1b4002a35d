#include "harness/os/clock_instant.h"

#include <catch2/catch.hpp>

namespace tailgate {

TEST_CASE("a time of the operating system's clock is converted by interpolation", "[clock]") {
  // The run clock began at 1000 and is half a percent fast.
  const ClockInstant begin{.os_ns = 1'000, .run_ns = 0};
  const ClockInstant end{.os_ns = 2'000'001'000, .run_ns = 2'010'000'000};
  CHECK(run_time_ns(1'000, begin, end) == 0);
  CHECK(run_time_ns(1'000'001'000, begin, end) == 1'005'000'000);
  CHECK(run_time_ns(2'000'001'000, begin, end) == 2'010'000'000);
  CHECK(run_time_ns(3'000'001'000, begin, end) == 3'015'000'000);
  CHECK(run_time_ns(999, begin, end) == 0);
}

TEST_CASE("no time of a damaged record is out of range", "[clock]") {
  const ClockInstant begin{.os_ns = 1'000, .run_ns = 5'000};
  CHECK(run_time_ns(1'500, begin, begin) == 5'000);
  CHECK(run_time_ns(~std::uint64_t{0}, {}, {.os_ns = 1, .run_ns = ~std::uint64_t{0}}) == 0);
  CHECK(run_time_ns(~std::uint64_t{0} / 2, {}, {.os_ns = 1, .run_ns = ~std::uint64_t{0}}) ==
        9'000'000'000'000'000'000);
}

TEST_CASE("both clocks are read at one instant", "[clock]") {
  const Clock clock(measure_clock(true));
  const std::uint64_t before_ns = clock.now_ns();
  const ClockInstant instant = clock_instant(clock);
  CHECK(instant.run_ns >= before_ns);
  CHECK(instant.run_ns <= clock.now_ns());
  CHECK(instant.os_ns <= clock_detail::os_monotonic_ns());
}

}  // namespace tailgate
