#include "harness/result/json.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/result/filler.h"

namespace tailgate {
namespace {

using nlohmann::json;

Result full_result() {
  Result result;
  Filler().fill(result);
  result.format = kResultFormat;
  result.version = kResultVersion;
  return result;
}

Result reread(const Result& result) {
  return read_result(write_result(result), "memory");
}

json full_document() {
  return json::parse(write_result(full_result()));
}

// Returns the error with which read_result refuses a text, or "" if it reads it.
std::string complaint(const std::string& text) {
  try {
    read_result(text, "x.json");
  } catch (const Error& error) {
    CHECK_FALSE(error.remedy().empty());
    return error.what_failed();
  }
  return "";
}

std::string complaint_after(const std::string& pointer, const json& value) {
  json document = full_document();
  document[json::json_pointer(pointer)] = value;
  return complaint(document.dump());
}

TEST_CASE("every field is read back as it was written") {
  const Result result = full_result();
  const std::string text = write_result(result);
  CHECK(write_result(read_result(text, "memory")) == text);
  const Result again = reread(result);
  CHECK(again.trials.size() == 2);
  CHECK(again.trials[1].intervals[1].response.p99_9_ns ==
        result.trials[1].intervals[1].response.p99_9_ns);
  CHECK(again.trials[0].consumer.delivery->hdr == result.trials[0].consumer.delivery->hdr);
  CHECK(again.placement.load_cpus == result.placement.load_cpus);
}

TEST_CASE("another JSON parser finds the values under the names of the schema") {
  Result result;
  result.id = "run-1";
  result.complete = true;
  result.clock.read_cost_ns = 17.5;
  result.placement.load_cpus = {1, -1};
  Trial trial;
  trial.outcome = TrialOutcome::crashed;
  trial.ledger.unaccounted = -3;
  trial.load.rate_hz = 1e6;
  result.trials.push_back(trial);
  const json document = json::parse(write_result(result));
  CHECK(document["format"] == "tailgate-result");
  CHECK(document["version"] == 6);
  CHECK(document["id"] == "run-1");
  CHECK(document["complete"] == true);
  CHECK(document["clock"]["read_cost_ns"] == 17.5);
  CHECK(document["placement"]["load_cpus"] == json::parse("[1, -1]"));
  CHECK(document["trials"][0]["outcome"] == "crashed");
  CHECK(document["trials"][0]["ledger"]["unaccounted"] == -3);
  CHECK(document["trials"][0]["load"]["rate_hz"] == 1e6);
}

TEST_CASE("a field that was not measured is absent, not null") {
  Result result;
  result.trials.emplace_back();
  const json document = json::parse(write_result(result));
  CHECK_FALSE(document["trials"][0]["consumer"].contains("delivery"));
  CHECK_FALSE(reread(result).trials[0].consumer.delivery.has_value());
  CHECK(complaint_after("/trials/0/consumer/delivery", nullptr) ==
        "x.json: trials[0].consumer.delivery = null is not an object");
}

TEST_CASE("whole numbers are exact over the whole range of their type") {
  Result result;
  result.trials.emplace_back();
  for (const std::uint64_t value :
       {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 63,
        std::numeric_limits<std::uint64_t>::max()}) {
    result.trials[0].load.seed = value;
    CHECK(reread(result).trials[0].load.seed == value);
  }
  for (const std::int64_t value :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    result.trials[0].ledger.unaccounted = value;
    CHECK(reread(result).trials[0].ledger.unaccounted == value);
  }
}

TEST_CASE("other numbers are read back bit for bit") {
  Result result;
  for (const double value : {0.0, 0.1, 1.0 / 3.0, 1e-300, 1e300, 5e-324, 123456789.125,
                             std::numeric_limits<double>::max()}) {
    result.clock.error_ppm = value;
    CHECK(reread(result).clock.error_ppm == value);
  }
}

TEST_CASE("a number that is not finite is refused with its path") {
  Result result;
  result.trials.resize(4);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    result.trials[3].load.rate_hz = value;
    CHECK_THROWS_WITH(write_result(result), Catch::StartsWith("trials[3].load.rate_hz = "));
  }
}

TEST_CASE("texts may contain any character, and bytes that are not UTF-8 are replaced") {
  Result result;
  result.label = std::string("quote \" backslash \\ line\nfeed tab\t nul") + '\0' + " µs 時";
  CHECK(reread(result).label == result.label);
  result.label = "cut \xe6\x99 off \xff";
  CHECK(reread(result).label == "cut \xEF\xBF\xBD off \xEF\xBF\xBD");
}

TEST_CASE("an object that fits into 100 columns is on one line") {
  Result result;
  result.placement.load_cpus = {0, 1};
  const std::string text = write_result(result);
  CHECK(text.starts_with("{\n  \"format\": \"tailgate-result\",\n  \"version\": 6,\n"));
  CHECK(text.find("{\"load_cpus\": [0, 1], \"controller_cpus\": []") != std::string::npos);
  CHECK(text.ends_with("}\n"));
}

TEST_CASE("errors name the path, the value and what it should be") {
  CHECK(complaint_after("/sink/name", 5) == "x.json: sink.name = 5 is not a text");
  const std::string outcomes =
      "one of: completed, failed, crashed, killed, hung, interrupted, unchecked";
  CHECK(complaint_after("/trials/1/outcome", 5) ==
        "x.json: trials[1].outcome = 5 is not " + outcomes);
  CHECK(complaint_after("/trials/1/outcome", "bored") ==
        "x.json: trials[1].outcome = \"bored\" is not " + outcomes);
  CHECK(complaint_after("/trials/1/index", -1) ==
        "x.json: trials[1].index = -1 is not a whole number from 0 to 4294967295");
  CHECK(complaint_after("/trials/1/index", 4294967296) ==
        "x.json: trials[1].index = 4294967296 is not a whole number from 0 to 4294967295");
  CHECK(complaint_after("/trials/1/index", 1.5) ==
        "x.json: trials[1].index = 1.5 is not a whole number from 0 to 4294967295");
  CHECK(complaint_after("/trials/0/slowest/1/cpu", 2147483648) ==
        "x.json: trials[0].slowest[1].cpu = 2147483648 is not a whole number from -2147483648 to "
        "2147483647");
  CHECK(complaint_after("/complete", 1) == "x.json: complete = 1 is not true or false");
  CHECK(complaint_after("/clock/error_ppm", "1") ==
        "x.json: clock.error_ppm = \"1\" is not a number");
  CHECK(complaint_after("/trials", json::object()) == "x.json: trials = an object is not a list");
  CHECK(complaint_after("/machine", json::array()) == "x.json: machine = a list is not an object");
  CHECK(complaint_after("/machine", std::string(999, 'x')) ==
        "x.json: machine = a text of 999 bytes is not an object");
}

TEST_CASE("a missing, unknown or repeated field is refused") {
  json document = full_document();
  document["clock"].erase("kind");
  CHECK(complaint(document.dump()) == "x.json: clock.kind is missing");

  document = full_document();
  document["trials"][1]["load"]["rate_hs"] = 1;
  CHECK(complaint(document.dump()) ==
        "x.json: \"trials[1].load.rate_hs\" is not a field of a version 6 result");
  CHECK_THROWS_WITH(read_result(document.dump(), "x.json"),
                    Catch::EndsWith("did you mean 'rate_hz'?"));

  std::string text = full_document().dump();
  text.insert(1, "\"id\": \"other\",");
  CHECK(complaint(text) == "x.json: field \"id\" is given twice in one object");
}

TEST_CASE("only results of this version or an older one are read") {
  CHECK(complaint_after("/version", kResultVersion + 1) ==
        "x.json: version 7 was made by a newer tailgate; this one reads up to 6");
  CHECK(complaint_after("/version", 0) == "x.json: version = 0 is not 1 or more");
  CHECK(complaint_after("/version", "1") ==
        "x.json: version = \"1\" is not a whole number from -2147483648 to 2147483647");
  CHECK(complaint_after("/format", "other") ==
        "x.json: not a result: its 'format' is \"other\", not 'tailgate-result'");
  CHECK(complaint("[]") == "x.json: not a result: its 'format' is missing, not 'tailgate-result'");
  CHECK(complaint("{\"format\": \"tailgate-result\"}") == "x.json: version is missing");
  // The error names a newer version, whatever else that version changed.
  CHECK_THAT(complaint("{\"format\": \"tailgate-result\", \"version\": 9, \"new\": 1}"),
             Catch::Contains("newer tailgate"));
}

TEST_CASE("damaged text is refused with the position of the damage") {
  CHECK(complaint("") == "x.json: not JSON at byte 0 of 0 (line 1)");
  const std::string text = write_result(full_result());
  CHECK_THAT(complaint(text.substr(0, text.size() / 2)), Catch::Contains("not JSON at byte"));
  CHECK(complaint("{\n\n  oops}") == "x.json: not JSON at byte 6 of 10 (line 3)");
  CHECK_THAT(complaint(text + "x"), Catch::Contains("not JSON at byte"));
  CHECK(complaint("{\"a\": 1e999}") == "x.json: holds a number beyond the range of a double");
  CHECK(complaint(std::string(100000, '[')) ==
        "x.json: nests deeper than 16 levels, which no result does");
  CHECK_THAT(complaint("\"\xff\""), Catch::Contains("not JSON at byte"));
}

TEST_CASE("every prefix of a result is refused") {
  const std::string text = write_result(Result());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    REQUIRE_FALSE(complaint(text.substr(0, length)).empty());
  }
}

// A parser that takes quadratic time for a list of empty objects, as nlohmann's does with a
// callback, exceeds the test's time limit here.
TEST_CASE("long lists of small objects are refused at the first, in linear time") {
  std::string text = "{\"format\": \"tailgate-result\", \"version\": 6, \"trials\": [";
  for (int i = 0; i < 1'000'000; ++i) text += "{},";
  text += "{}]}";
  CHECK_THAT(complaint(text), Catch::StartsWith("x.json: id is missing"));
  text = "{\"x\": [";
  for (std::size_t i = 0; i <= kMaxResultValues; ++i) text += "0,";
  CHECK_THAT(complaint(text + "0]}"), Catch::Contains("more than the 6000000 values"));
}

}  // namespace
}  // namespace tailgate
