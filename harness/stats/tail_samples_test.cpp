#include "harness/stats/tail_samples.h"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace tailgate {
namespace {

// Worked by hand: ln(2 / 1.25) = 0.4700, ln(1.5 / 1.25) = 0.1823, ln(1.25 / 1.15) = 0.08338.
TEST_CASE("what a doubling and smaller changes need") {
  CHECK(tail_samples_needed(1.0, 0.25) == Approx(113.2).margin(0.1));
  CHECK(tail_samples_needed(0.5, 0.25) == Approx(752).margin(1));
  CHECK(tail_samples_needed(0.25, 0.15) == Approx(3596).margin(2));
}

TEST_CASE("the smallest detectable effect is the inverse") {
  const double margin = GENERATE(0.0, 0.05, 0.25);
  const double effect = GENERATE(0.3, 1.0, 9.0);
  CHECK(detectable_effect(tail_samples_needed(effect, margin), margin) == Approx(effect));
}

TEST_CASE("an effect within the margin cannot be told from it") {
  CHECK_THROWS_AS(tail_samples_needed(0.1, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(tail_samples_needed(0.1, -0.1), std::invalid_argument);
  CHECK_THROWS_AS(detectable_effect(0, 0.1), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
