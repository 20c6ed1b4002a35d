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
      why_incomparable(result_of_good_trials(explained), result_of_good_trials(explained)).empty());
}

TEST_CASE("a result whose slow calls were explained may not be compared with one without") {
  const bool of_a = GENERATE(false, true);
  const auto reasons = why_incomparable(result_of_good_trials(of_a), result_of_good_trials(!of_a));
  REQUIRE(reasons.size() == 1);
  CHECK_THAT(reasons[0].reason.what,
             Contains(of_a ? "explained in A alone" : "explained in B alone"));
  CHECK_THAT(reasons[0].reason.remedy, Contains("--explain") && Contains("--no-explain"));
}

TEST_CASE("what forbids one step of several names it, and the others have no reason") {
  Result result = result_of_good_trials(false);
  result.trials[1].step = 1;
  result.trials[1].load.rate_hz = 2'500'000;
  CHECK(why_incomparable(result, result).empty());
  result.trials[1].rate_missed = true;
  auto reasons = why_incomparable(result, result);
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].step == 1u);
  CHECK(reasons[0].reason.what == "step 1 (2500000/s): 1 of A's 1 trials missed the rate");
  CHECK(reasons[1].reason.what == "step 1 (2500000/s): 1 of B's 1 trials missed the rate");
  result.trials[1].load.rate_hz = 0;
  CHECK_THAT(why_incomparable(result, result)[0].reason.what, Contains("step 1 (max): "));
  result.trials.erase(result.trials.begin());
  CHECK_FALSE(why_incomparable(result, result)[0].step);
  CHECK(why_incomparable(result, result)[0].reason.what == "1 of A's 1 trials missed the rate");
}

}  // namespace
}  // namespace tailgate
