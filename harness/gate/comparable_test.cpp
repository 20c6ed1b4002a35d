#include "harness/gate/comparable.h"

#include <catch2/catch.hpp>

#include "harness/result/sample.h"

namespace tailgate {
namespace {

using Catch::Contains;

// Of trials that nothing is held against.
Result result_of_good_trials(bool explained) {
  Result result = sample_result();
  result.trials.resize(2);
  result.explained = explained;
  if (!explained) {
    result.traced.clear();
    result.disturbance.clear();
  }
  return result;
}

TEST_CASE("results whose slow calls were both explained, or both not, may be compared") {
  const bool explained = GENERATE(false, true);
  CHECK(
      reasons_against(result_of_good_trials(explained), result_of_good_trials(explained)).empty());
}

TEST_CASE("a result whose slow calls were explained may not be compared with one without") {
  const bool of_a = GENERATE(false, true);
  const auto reasons = reasons_against(result_of_good_trials(of_a), result_of_good_trials(!of_a));
  REQUIRE(reasons.size() == 1);
  CHECK_THAT(reasons[0].what, Contains(of_a ? "explained in A alone" : "explained in B alone"));
  CHECK_THAT(reasons[0].remedy, Contains("--explain") && Contains("--no-explain"));
}

}  // namespace
}  // namespace tailgate
