// The formats that hold sampled stacks.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/report/exporter.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using nlohmann::json;

std::string exported(const Result& result, const char* format) {
  return render(Results{{"", result}}, format);
}

TEST_CASE("folded stacks begin with the role, and add up to the samples") {
  const std::string text = exported(sample_result(), "folded");
  INFO(text);
  // Two traced trials.
  CHECK(text.find("load;main;run_load 140\n") != std::string::npos);
  CHECK(text.find("load;main;run_load;FileProvider::emit(unsigned);ksys_write_[k] 50\n") !=
        std::string::npos);
  CHECK(text.find("daemons;[daemon] 20\n") != std::string::npos);
  std::uint64_t sum = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    sum += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  CHECK(sum == 220);
}

TEST_CASE("a frame's name cannot end its frame, nor its line") {
  Result result = sample_result();
  result.traced.resize(1);
  result.traced[0].explanation->profile->functions[0].name = "a;b\nc 5";
  const std::string text = exported(result, "folded");
  INFO(text);
  CHECK(text.find("load;a:b") == 0);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
}

// The rules of speedscope's schema: of FileFormat.File, SharedFrames and SampledProfile.
TEST_CASE("a speedscope file keeps the rules of its schema") {
  const json document = json::parse(exported(sample_result(), "speedscope"));
  CHECK(document["$schema"] == "https://www.speedscope.app/file-format-schema.json");
  CHECK(document["exporter"].is_string());
  CHECK(document["name"] == "steady@file:mode=mmap");
  const json& frames = document["shared"]["frames"];
  for (const json& frame : frames) {
    REQUIRE(frame["name"].is_string());
    CHECK(frame["file"].is_string());
  }
  REQUIRE(document["profiles"].size() == 2);
  CHECK(document["activeProfileIndex"].get<std::size_t>() < document["profiles"].size());
  for (const json& profile : document["profiles"]) {
    CHECK(profile["type"] == "sampled");
    CHECK(profile["name"].is_string());
    CHECK(profile["unit"] == "none");
    REQUIRE(profile["samples"].size() == profile["weights"].size());
    double sum = 0;
    for (const json& weight : profile["weights"]) sum += weight.get<double>();
    CHECK(profile["startValue"] == 0);
    CHECK(profile["endValue"].get<double>() == sum);
    for (const json& stack : profile["samples"]) {
      for (const json& frame : stack) CHECK(frame.get<std::size_t>() < frames.size());
    }
  }
  // The outermost caller comes first.
  const json& first = document["profiles"][0]["samples"][0];
  CHECK(frames[first[0].get<std::size_t>()]["name"] == "main");
  CHECK(document["profiles"][0]["name"] == "load");
}

TEST_CASE("each step of a sweep has stacks of its own") {
  Result result = sample_result();
  REQUIRE(result.traced.size() == 2);
  result.traced[1].step = 1;
  CHECK(json::parse(exported(result, "speedscope"))["profiles"].size() == 4);
  CHECK(exported(result, "folded").find("step 1: load;main;run_load 70\n") != std::string::npos);
}

TEST_CASE("a result without samples says what to do") {
  Result result = sample_result();
  for (Trial& trial : result.traced) trial.explanation->profile.reset();
  for (const char* format : {"folded", "speedscope"}) {
    CHECK_THROWS_WITH(exported(result, format), Catch::Contains("run again with --explain"));
  }
}

}  // namespace
}  // namespace tailgate
