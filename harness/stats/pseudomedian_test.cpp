#include "harness/stats/pseudomedian.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

// Hamilton's depression scale factor before and after a tranquilliser: Hollander and Wolfe,
// Nonparametric Statistical Methods, example 3.1, whose estimate of the effect is -0.46.
TEST_CASE("the pseudomedian of a textbook's pairs") {
  const std::vector<double> before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> effects;
  for (std::size_t i = 0; i < before.size(); ++i) effects.push_back(after[i] - before[i]);
  CHECK(pseudomedian(effects) == Approx(-0.46).margin(1e-9));
}

TEST_CASE("the pseudomedian of few values") {
  CHECK(pseudomedian(std::vector<double>{4}) == 4);
  CHECK(pseudomedian(std::vector<double>{4, 8}) == 6);  // of 4, 6 and 8
  // Of 0, 0.5, 1, 50, 50.5 and 100.
  CHECK(pseudomedian(std::vector<double>{100, 0, 1}) == (1 + 50.0) / 2);
  CHECK_THROWS_AS(pseudomedian(std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace tailgate
