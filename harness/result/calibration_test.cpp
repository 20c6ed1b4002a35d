#include "harness/result/calibration.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/base/base64.h"
#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/result/calibration_file.h"
#include "harness/result/files.h"
#include "harness/result/filler.h"
#include "harness/result/json.h"

namespace tailgate {
namespace {

using Catch::Contains;
using Limits = std::numeric_limits<double>;
const double kNone = std::nan("");

std::filesystem::path results_path(const std::string& name) {
  return std::filesystem::path(TAILGATE_RESULTS_DIR) / name;
}

// Three runs: one with two metrics, one with one of them, and one with none.
Calibration sample() {
  Calibration calibration;
  Filler filler;
  for (int i = 0; i < 3; ++i) filler.fill(calibration.runs.emplace_back());
  calibration.runs[0].metrics = {
      {"rss_bytes", {11'362'304, 0, 1e300}, {1.0 / 3, -2.5, 4'096}},
      {"calls_blocked", {Limits::min(), Limits::denorm_min(), 0}, {Limits::max(), 0.1, 1e-5}}};
  calibration.runs[1].metrics = {{"calls_blocked", {7}, {8}}};
  calibration.runs[0].facts = {{"a_made_first", {1, 0, 1}}, {"stolen_ns", {kNone, 2.5, kNone}}};
  return calibration;
}

std::string zlib_stream(const std::string& text) {
  uLongf bytes = compressBound(static_cast<uLong>(text.size()));
  std::string stream(bytes, '\0');
  REQUIRE(compress(reinterpret_cast<Bytef*>(stream.data()), &bytes,
                   reinterpret_cast<const Bytef*>(text.data()),
                   static_cast<uLong>(text.size())) == Z_OK);
  stream.resize(bytes);
  return stream;
}

// The sample's file with another text, encoded, in the first column.
std::string file_with(const std::string& values) {
  auto document = nlohmann::json::parse(write_calibration(sample()));
  document["metrics"][0]["values"] = values;
  return document.dump();
}

std::string file_with_text(const std::string& text) {
  return file_with(to_base64(zlib_stream(text)));
}

void check_refused(const std::string& json_text, const std::string& why) {
  CAPTURE(why);
  CHECK_THROWS_WITH(read_calibration(json_text, "x.json"),
                    Contains("x.json: ") && Contains(why) && Contains("copy the file again"));
}

TEST_CASE("a calibration is read back from its file unchanged") {
  const Calibration calibration = sample();
  const TestDirectory directory;
  const auto path = directory.path() / "calibration.json";
  save_calibration(path, calibration);
  const Calibration again = load_calibration(path);
  CHECK(write_calibration(again) == write_calibration(calibration));
  REQUIRE(again.runs.size() == 3);
  CHECK(again.runs[0].outcome_detail == calibration.runs[0].outcome_detail);
  for (std::size_t run = 0; run < 3; ++run) {
    REQUIRE(again.runs[run].metrics.size() == calibration.runs[run].metrics.size());
    for (std::size_t metric = 0; metric < again.runs[run].metrics.size(); ++metric) {
      CHECK(again.runs[run].metrics[metric].name == calibration.runs[run].metrics[metric].name);
      CHECK(again.runs[run].metrics[metric].a == calibration.runs[run].metrics[metric].a);
      CHECK(again.runs[run].metrics[metric].b == calibration.runs[run].metrics[metric].b);
    }
  }
  REQUIRE(again.runs[0].facts.size() == 2);
  CHECK(again.runs[0].facts[0].name == "a_made_first");
  CHECK(again.runs[0].facts[0].values == std::vector<double>{1, 0, 1});
  CHECK(std::isnan(again.runs[0].facts[1].values[0]));
  CHECK(again.runs[0].facts[1].values[1] == 2.5);
  CHECK(again.runs[1].facts.empty());
  CHECK(read_calibration(write_calibration({}), "none").runs.empty());
}

TEST_CASE("a round that lacks a metric keeps its place") {
  Calibration calibration = sample();
  calibration.runs[0].metrics[0].a[1] = calibration.runs[0].metrics[0].b[1] = kNone;
  calibration.runs[1].metrics[0] = {"calls_blocked", {kNone}, {kNone}};
  const Calibration again = read_calibration(write_calibration(calibration), "again");
  CHECK(again.runs[0].metrics[0].a[0] == 11'362'304);
  CHECK(std::isnan(again.runs[0].metrics[0].a[1]));
  CHECK(std::isnan(again.runs[0].metrics[0].b[1]));
  CHECK(again.runs[0].metrics[0].b[2] == 4'096);
  REQUIRE(again.runs[1].metrics.size() == 1);
  CHECK(std::isnan(again.runs[1].metrics[0].b[0]));
}

// The files were made by a Python script, the columns by its zlib and base64 modules.
TEST_CASE("the fixtures of all versions hold the same runs") {
  const std::string name = GENERATE("v1.json", "v2.json", "v3.json");
  CAPTURE(name);
  const Calibration calibration = load_calibration(results_path("fixtures/calibrations/" + name));
  REQUIRE(calibration.runs.size() == 3);
  const CalibrationRun& file = calibration.runs[0];
  CHECK(file.sink == "file");
  CHECK(file.tail_events == 19'000);
  REQUIRE(file.metrics.size() == 3);
  CHECK(file.metrics[0].name == "response_ns_p50");
  CHECK(file.metrics[0].a == std::vector<double>{385, 402, 408});
  CHECK(file.metrics[1].b ==
        std::vector<double>{522.0757575757576, 518.4554492291335, 523.3817650186071});
  CHECK(file.metrics[2].a == std::vector<double>{0, 0, 1.0526315789473684});
  const CalibrationRun& lttng = calibration.runs[1];
  REQUIRE(lttng.metrics.size() == 2);
  CHECK(lttng.metrics[0].b == std::vector<double>{190, 505});
  CHECK(lttng.metrics[1].name == "daemon_ns_per_event");
  CHECK(lttng.metrics[1].a == std::vector<double>{0.1, 1e-5});
  CHECK(lttng.metrics[1].b == std::vector<double>{123456.789, 2e300});
  CHECK(calibration.runs[2].by_rule);
  CHECK(calibration.runs[2].metrics.empty());
  if (name != "v3.json") {
    CHECK(file.machine.empty());
    CHECK(file.facts.empty());
    return;
  }
  CHECK(file.machine == "2 x a processor, hypervisor KVM, 6.1.0");
  REQUIRE(file.facts.size() == 1);
  CHECK(file.facts[0].name == "stolen_ns");
  CHECK(file.facts[0].values[1] == 1e7);
  CHECK(std::isnan(file.facts[0].values[2]));
}

TEST_CASE("a file of version 1 is written as the current version") {
  const Calibration old = load_calibration(results_path("fixtures/calibrations/v1.json"));
  const auto document = nlohmann::json::parse(write_calibration(old));
  CHECK(document["version"] == kCalibrationVersion);
  CHECK(document["metrics"].size() == 4);
  CHECK_FALSE(document["runs"][0].contains("metrics"));
  const Calibration again = read_calibration(document.dump(), "again");
  CHECK(again.runs[1].metrics[1].b == std::vector<double>{123456.789, 2e300});
}

TEST_CASE("a damaged column is refused with its metric") {
  const std::string good = "1 2 3\n4 5 6\n\n\n\n\n";
  CHECK(read_calibration(file_with_text(good), "good").runs[0].metrics[0].b[2] == 6);
  check_refused(file_with_text("1 2 3\n4 5 6\n\n\n\n"), "'rss_bytes' cannot be read: line 6 is");
  check_refused(file_with_text(good + "7\n"), "text follows line 6");
  check_refused(file_with_text("1 2 3\n4 5\n\n\n\n\n"), "has 3 values of side A and 2 of side B");
  check_refused(file_with_text("1 2\n4 5\n\n\n\n\n"),
                "has 3 values of side A and 3 of side B, not 2");
  for (const char* broken : {"1 x 3", "1 inf 3", "1 NaN 3", "1 -nan 3", "1 nan(1) 3", "1 1e999 3",
                             "1  3", "1 2 ", "1 2\t3", "1 2,3", "0x1 2 3", "1 +2 3"}) {
    CAPTURE(broken);
    check_refused(file_with_text(std::string(broken) + "\n4 5 6\n\n\n\n\n"), "line 1");
  }
}

TEST_CASE("a damaged column of a fact is refused with its name") {
  const auto refused = [](const std::string& text, const std::string& why) {
    auto document = nlohmann::json::parse(write_calibration(sample()));
    document["facts"][0]["values"] = to_base64(zlib_stream(text));
    check_refused(document.dump(), why);
  };
  refused("1 0 1\n\n", "'a_made_first' cannot be read: line 3 is missing");
  refused("1 0 1\n\n\n1\n", "text follows line 3");
  refused("1 0\n\n\n", "fact 'a_made_first' in the run of");
  refused("1 0 1\n1 1\n\n", "has 2 values, not 1");
  refused("1 0 1\n\n1\n", "has 1 values, not 0");
  auto document = nlohmann::json::parse(write_calibration(sample()));
  document["facts"].push_back(document["facts"][1]);
  check_refused(document.dump(), "fact 'stolen_ns' in the run of");
}

TEST_CASE("a column that is not a zlib stream in base64 is refused with its metric") {
  const std::string stream = zlib_stream("1 2 3\n4 5 6\n\n\n\n\n");
  check_refused(file_with("!"), "'rss_bytes' cannot be read: base64 text is broken");
  check_refused(file_with(""), "damaged or cut short");
  check_refused(file_with(to_base64("1 2 3\n")), "damaged or cut short");
  check_refused(file_with(to_base64(stream.substr(0, stream.size() - 1))), "damaged or cut short");
  check_refused(file_with(to_base64(stream + "x")), "bytes follow the zlib stream");
  for (std::size_t at = 0; at < stream.size(); ++at) {
    std::string changed = stream;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    CAPTURE(at);
    CHECK_THROWS_AS(read_calibration(file_with(to_base64(changed)), "x.json"), Error);
  }
}

TEST_CASE("a small file that inflates beyond the limit is refused") {
  check_refused(file_with_text(std::string(kMaxCalibrationTextBytes + 1, '\n')),
                "all columns together exceed");
}

TEST_CASE("a metric given twice is refused in both versions") {
  auto document = nlohmann::json::parse(write_calibration(sample()));
  document["metrics"].push_back(document["metrics"][1]);
  check_refused(document.dump(), "metric 'calls_blocked' in the run of");
  std::ifstream fixture(results_path("fixtures/calibrations/v1.json"));
  auto old = nlohmann::json::parse(fixture);
  old["runs"][0]["metrics"][1]["name"] = "response_ns_p50";
  check_refused(old.dump(), "metric 'response_ns_p50' in the run of 'file' at");
  old["runs"][0]["metrics"][1] = {{"name", "rss_bytes"}, {"a", {1, 2, 3}}, {"b", {1, 2}}};
  check_refused(old.dump(), "has 3 values of side A and 2 of side B, not 3");
}

TEST_CASE("fields of another version are refused") {
  auto document = nlohmann::json::parse(write_calibration(sample()));
  document["runs"][0]["metrics"] = nlohmann::json::array();
  CHECK_THROWS_WITH(read_calibration(document.dump(), "x.json"),
                    Contains("is not a field of a version 3 calibration"));
  document["runs"][0].erase("metrics");
  document.erase("metrics");
  CHECK_THROWS_WITH(read_calibration(document.dump(), "x.json"),
                    Contains("x.json: metrics is missing"));
}

TEST_CASE("an infinite value is not written") {
  Calibration calibration = sample();
  calibration.runs[0].metrics[1].b[2] = Limits::infinity();
  CHECK_THROWS_WITH(write_calibration(calibration), Contains("calls_blocked = inf"));
}

std::size_t values_in(const Calibration& calibration) {
  std::size_t count = 0;
  for (const CalibrationRun& run : calibration.runs) {
    for (const MetricSeries& metric : run.metrics) count += metric.a.size() + metric.b.size();
    for (const FactSeries& fact : run.facts) count += fact.values.size();
  }
  return count;
}

// Measured values compress less well than constructed ones.
TEST_CASE("a night's record stays below 1 MB, and below 4 bytes a value and 1 kB a run") {
  std::size_t nights = 0;
  for (const auto& entry : std::filesystem::directory_iterator(results_path("calibration"))) {
    if (entry.is_directory()) continue;
    CAPTURE(entry.path().string());
    ++nights;
    const Calibration calibration = load_calibration(entry.path());
    const std::string text = write_calibration(calibration);
    CHECK(text.size() < 1'000'000);
    CHECK(text.size() < 4 * values_in(calibration) + 1'000 * calibration.runs.size());
    CHECK(entry.file_size() < 1'000'000);
  }
  CHECK(nights > 0);
}

TEST_CASE("a duet is not read as a calibration") {
  CHECK_THROWS_WITH(read_calibration(write_duet(Duet()), "x.json"),
                    Contains("not a calibration") && Contains("selftest gate"));
}

TEST_CASE("another JSON parser finds a verdict's values under the names of the schema") {
  Verdict verdict;
  verdict.outcome = VerdictOutcome::fail;
  verdict.metrics.emplace_back().effect_low = 0.25;
  const auto document = nlohmann::json::parse(write_verdict(verdict));
  CHECK(document["format"] == "tailgate-verdict");
  CHECK(document["outcome"] == "fail");
  CHECK(document["metrics"][0]["effect_low"] == 0.25);
  CHECK_FALSE(document["metrics"][0].contains("effect_high"));
}

}  // namespace
}  // namespace tailgate
