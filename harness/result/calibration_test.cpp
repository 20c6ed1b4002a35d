#include "harness/result/calibration.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/test_directory.h"
#include "harness/result/files.h"
#include "harness/result/filler.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

using Catch::Contains;

TEST_CASE("a calibration comes back from its file as it was") {
  Calibration calibration;
  Filler().fill(calibration.runs.emplace_back());
  const TestDirectory directory;
  const auto path = directory.path() / "calibration.json";
  save_calibration(path, calibration);
  const Calibration again = load_calibration(path);
  CHECK(write_calibration(again) == write_calibration(calibration));
  REQUIRE(again.runs.size() == 1);
  CHECK(again.runs[0].metrics[1].b == calibration.runs[0].metrics[1].b);
}

TEST_CASE("a duet is no calibration") {
  CHECK_THROWS_WITH(read_calibration(write_duet(Duet()), "x.json"),
                    Contains("not a calibration") && Contains("selftest gate"));
}

TEST_CASE("another parser finds a verdict's values under the names of the schema") {
  Verdict verdict;
  verdict.outcome = "fail";
  verdict.metrics.emplace_back().effect_low = 0.25;
  const auto document = nlohmann::json::parse(write_verdict(verdict));
  CHECK(document["format"] == "tailgate-verdict");
  CHECK(document["outcome"] == "fail");
  CHECK(document["metrics"][0]["effect_low"] == 0.25);
  CHECK_FALSE(document["metrics"][0].contains("effect_high"));
}

}  // namespace
}  // namespace tailgate
