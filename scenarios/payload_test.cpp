// What the scenario payload answers, on sinks whose limit is planted.
#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "scenarios/testing/run_scenario.h"

namespace tailgate {
namespace {

using Catch::Contains;

const std::vector<std::pair<std::string, std::string>> kPayloadSmoke = {
    {"sizes_bytes", "64,290,310"}, {"events", "20"}, {"warmup_s", "0"}, {"trials", "2"}};

TEST_CASE("payload finds the exact size from which a sink refuses or cuts its events", "[long]") {
  struct Planted {
    const char* sink;
    const char* fate;
  };
  const Planted planted = GENERATE(Planted{"synthetic:refuse_over_bytes=300", "refused (planted)"},
                                   Planted{"synthetic:cut_over_bytes=300", "changed or cut"});
  const Result result = run_scenario("payload", planted.sink, kPayloadSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  INFO(answer.sentence);
  REQUIRE_FALSE(answer.figures.empty());
  CHECK(answer.figures.front().name == "limit_bytes");
  CHECK(answer.figures.front().low == 300);
  CHECK(answer.figures.front().high == 301);
  CHECK_THAT(answer.sentence, Contains("takes events of up to 300 bytes whole"));
  CHECK_THAT(answer.sentence, Contains(std::string("those of 301 bytes are ") + planted.fate));
}

TEST_CASE("payload says that every size comes back whole where none is too large") {
  const Result result = run_scenario("payload", "synthetic", kPayloadSmoke);
  REQUIRE(result.answer);
  const Answer& answer = *result.answer;
  CHECK_THAT(answer.sentence, Contains("of every size whole, up to 310 bytes, the largest tried"));
  CHECK_THAT(answer.sentence, Contains("with 64 bytes and") && Contains("with 310 bytes"));
  CHECK_FALSE(answer.figures.front().high);
  CHECK(answer.figures.size() == 1 + 3);
  CHECK(result.trials.size() == 2 * 3);
}

TEST_CASE("payload says so when no size comes back whole", "[long]") {
  const Result result = run_scenario("payload", "synthetic:lose_every=2", kPayloadSmoke);
  REQUIRE(result.answer);
  CHECK_THAT(result.answer->sentence, Contains("of none of the sizes whole"));
  CHECK_THAT(result.answer->sentence, Contains("lost (planted)"));
}

TEST_CASE("payload refuses sizes that are no event's") {
  const Scenario& payload = test_catalog().scenarios.find("payload");
  Options options(payload.options(), "scenario 'payload'");
  for (const char* sizes : {"16", "64,100k", "256,64"}) {
    options.set("sizes_bytes", sizes);
    CHECK_THROWS_WITH(payload.next_step(options, {}), Contains("sizes_bytes"));
  }
}

}  // namespace
}  // namespace tailgate
