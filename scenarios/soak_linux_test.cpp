// A leak of descriptors, which Wine does not count.
#include <catch2/catch.hpp>

#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

TEST_CASE("soak: descriptors that calls keep open are told, as many as there are", "[long]") {
  const Result result = run_scenario("soak", "synthetic:leak_descriptors_every=50",
                                     {{"rate_hz", "1000"}, {"duration_s", "2.6"}});
  REQUIRE(result.answer);
  INFO(result.answer->sentence);
  CHECK(result.answer->holds == false);
  CHECK_THAT(result.answer->sentence,
             Contains("it drifts: ") && Contains("the program's descriptors by"));
  CHECK(figure_value(*result.answer, "program_descriptors_per_h") ==
        Approx(20 * 3600).epsilon(0.1));
}

TEST_CASE("soak: it ends when too many more descriptors are open", "[long]") {
  const Result result =
      run_scenario("soak", "synthetic:leak_descriptors_every=10",
                   {{"rate_hz", "1000"}, {"duration_s", "60"}, {"end_at_grown_descriptors", "40"}});
  REQUIRE(result.trials.size() == 1);
  REQUIRE(result.trials.front().ended_early);
  CHECK(result.trials.front().ended_early->limit == "end_at_grown_descriptors");
  CHECK_THAT(result.answer->sentence, Contains("more descriptors open"));
}

}  // namespace
}  // namespace tailgate
