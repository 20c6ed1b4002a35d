#include "harness/gate/calibration_score.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace tailgate {
namespace {

CalibrationRow row(const char* sink, const char* planted, std::uint64_t runs, std::uint64_t fail) {
  CalibrationRow row;
  row.sink = sink;
  row.planted = planted;
  row.runs = runs;
  row.fail = fail;
  return row;
}

// Of n runs none of which failed the interval ends at 1 - .025^(1/n).
TEST_CASE("the runs that bound a share without a fail follow from the closed form") {
  for (const double bound : {0.5, 0.1, 0.016, 0.001}) {
    CAPTURE(bound);
    const double exact = std::log(0.025) / std::log1p(-bound);
    CHECK(runs_to_bound(0, bound) == static_cast<std::uint64_t>(std::ceil(exact)));
  }
  CHECK(runs_to_bound(0, 0.001) == 3688);
}

// Each fail that happened costs further runs: the upper limit of the mean of a Poisson count is
// 3.69 for 0 and 5.57 for 1.
TEST_CASE("a fail that happened wants more runs") {
  CHECK(runs_to_bound(1, 0.001) == Approx(5570).epsilon(0.005));
}

TEST_CASE("scores count true labels only, for all sinks and for each") {
  const auto scores = scores_of(
      {row("file", "none", 232, 0), row("file", "slower-10", 10, 9), row("file", "slower-5", 8, 8),
       row("lttng", "none", 100, 1), row("lttng", "slower-10", 10, 10)},
      {"slower-10", "stall-5ms"});
  REQUIRE(scores.size() == 3);
  CHECK(scores[0].sink.empty());
  CHECK(scores[0].equal == 332);
  CHECK(scores[0].false_alarms == 1);
  CHECK(scores[0].recall() == Approx(19.0 / 20));
  CHECK(scores[0].precision() == Approx(19.0 / 20));
  CHECK(scores[0].f_score() == Approx(0.95));
  CHECK(scores[1].sink == "file");
  CHECK(scores[1].at_most == Approx(0.01577).margin(0.00005));
  CHECK(scores[1].more_equal == 3688 - 232);
  CHECK(scores[1].recall() == Approx(0.9));
  CHECK(scores[1].precision() == 1);
  CHECK(scores[1].f_score() == Approx(2 * 0.9 / 1.9));
  CHECK(scores[2].sink == "lttng");
  CHECK(scores[2].precision() == Approx(10.0 / 11));
}

TEST_CASE("without runs nothing is bounded and nothing found") {
  CHECK(scores_of({}, {"slower-10"}).empty());
  const auto scores = scores_of({row("file", "slower-5", 3, 1)}, {"slower-10"});
  CHECK(scores[0].at_most == 1);
  CHECK(scores[0].recall() == 0);
  CHECK(scores[0].precision() == 0);
  CHECK(scores[0].f_score() == 0);
}

}  // namespace
}  // namespace tailgate
