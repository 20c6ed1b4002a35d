#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/exporter.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

TEST_CASE("the figures of the text come as JSON") {
  const auto list = nlohmann::json::parse(
      render(Results{{"a.json", sample_result()}, {"b.json", Result()}}, "json"));
  REQUIRE(list.size() == 2);
  CHECK(list[0]["file"] == "a.json");
  CHECK(list[0]["sink"] == "file:mode=mmap");
  CHECK(list[0]["summary"][0]["response"]["p99_ns"] == sample_result().summary[0].response.p99_ns);
  CHECK_FALSE(list[0]["summary"][0]["response"].contains("hdr"));
  CHECK(list[0]["trials"][2]["ledger"]["unaccounted"] == 10);
  CHECK(list[0]["trials"][0]["floor_ns_p50"] == 24);
  CHECK(list[1]["trials"].empty());
}

}  // namespace
}  // namespace tailgate
