#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "harness/report/exporter.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using nlohmann::json;

// A sample without its trial of losses, so that nothing forbids to compare it.
Result calm_result() {
  Result result = sample_result();
  result.trials.resize(2);
  return result;
}

json compared_as_json(const Result& a, const Result& b) {
  const json list = json::parse(render(Comparison{{{{"a.json", a}, {"b.json", b}}}}, "json"));
  REQUIRE(list.size() == 1);
  CHECK(list[0]["a"] == "a.json");
  CHECK(list[0]["b"] == "b.json");
  return list[0];
}

// Twice the p99 is a change of 1; a trial's p50 is stated in sample.h.
TEST_CASE("JSON of a comparison has both figures, the change, and every trial's") {
  Result slower = calm_result();
  slower.summary[0].response.p99_ns *= 2;
  const json pair = compared_as_json(calm_result(), slower);
  CHECK(pair["comparable"] == true);
  CHECK(pair["reasons"].empty());
  const json& step = pair["steps"][0];
  CHECK(step["rate_hz"] == 10'000);
  CHECK(step["comparable"] == true);
  CHECK(step["response"]["p99_ns"]["change"] == 1.0);
  CHECK(step["response"]["p50_ns"]["a"] == step["response"]["p50_ns"]["b"]);
  CHECK(step["response"]["p50_ns"]["a_trials"].size() == 2);
  const Latency first = calm_result().trials[0].service;
  CHECK(step["service"]["p50_ns"]["b_trials"][0] == first.p50_ns);
}

TEST_CASE("JSON of a comparison has what logging cost where both measured it") {
  Result a = calm_result();
  RoleOverhead logging;
  logging.role = "logging";
  logging.cpu_ns_per_event = {1200, 100};
  logging.switches_per_event = {0, {}};
  a.summary[0].overhead = {logging};
  Result b = a;
  b.summary[0].overhead[0].cpu_ns_per_event = {1500, {}};
  const json step = compared_as_json(a, b)["steps"][0];
  const json cpu = step["logging"]["cpu_ns_per_event"];
  CHECK(cpu["change"] == 0.25);
  CHECK(cpu["a_half_width"] == 100);
  CHECK_FALSE(cpu.contains("b_half_width"));
  CHECK_FALSE(step["logging"]["switches_per_event"].contains("change"));
  CHECK_FALSE(step["logging"].contains("faults_per_event"));
  b.summary[0].overhead.clear();
  CHECK_FALSE(compared_as_json(a, b)["steps"][0].contains("logging"));
}

TEST_CASE("JSON of a comparison tells which steps may not be compared, and why") {
  Result result = calm_result();
  result.summary.push_back(result.summary[0]);
  result.summary[1].step = result.trials[1].step = 1;
  result.trials[1].rate_missed = true;
  json pair = compared_as_json(result, result);
  CHECK(pair["comparable"] == false);
  REQUIRE(pair["reasons"].size() == 2);
  CHECK(pair["reasons"][0]["step"] == 1);
  CHECK(pair["steps"][0]["comparable"] == true);
  CHECK(pair["steps"][1]["comparable"] == false);
  Result elsewhere = result;
  elsewhere.machine.fingerprint = "elsewhere";
  pair = compared_as_json(result, elsewhere);
  CHECK_FALSE(pair["reasons"][0].contains("step"));
  CHECK(pair["steps"][0]["comparable"] == false);
}

}  // namespace
}  // namespace tailgate
