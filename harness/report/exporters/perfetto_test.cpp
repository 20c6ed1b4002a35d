#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "harness/base/error.h"
#include "harness/report/exporter.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using nlohmann::json;

json exported(const Result& result) {
  return json::parse(render(Results{{"", result}}, "perfetto"));
}

// One traced trial, so that each thing is there once.
Result one_traced() {
  Result result = sample_result();
  result.traced.resize(1);
  return result;
}

std::vector<json> events(const json& document, const std::string& phase,
                         const std::string& category) {
  std::vector<json> found;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == phase && event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

std::string track_of(const json& document, const json& event) {
  for (const json& other : document["traceEvents"]) {
    if (other["name"] == "thread_name" && other["pid"] == event["pid"] &&
        other["tid"] == event["tid"]) {
      return other["args"]["name"];
    }
  }
  return "";
}

TEST_CASE("a sample is on a track of its thread, beside the call that it is of") {
  const Result result = one_traced();
  const ExplainedCall& call = result.traced[0].explanation->calls[0];
  const json document = exported(result);
  const auto samples = events(document, "i", "sample");
  REQUIRE(samples.size() == 1);
  CHECK(samples[0]["name"] == "ksys_write");
  CHECK(samples[0]["args"]["stack"].size() == 4);
  CHECK(samples[0]["args"]["stack"][0] == "main");
  CHECK(samples[0]["ts"].get<double>() * 1000 == Approx(static_cast<double>(call.start_ns + 1000)));
  CHECK(track_of(document, samples[0]) == "load [4321]");
}

TEST_CASE("the trace shows the slowest call on its thread's track, in nanoseconds") {
  const Result result = one_traced();
  const ExplainedCall& call = result.traced[0].explanation->calls[0];
  const json document = exported(result);
  const auto calls = events(document, "X", "call");
  REQUIRE(calls.size() == 1);
  CHECK(calls[0]["name"] == "call " + std::to_string(call.sequence));
  CHECK(track_of(document, calls[0]) == "calls of thread 0");
  CHECK(calls[0]["ts"].get<double>() * 1000 == Approx(static_cast<double>(call.start_ns)));
  CHECK(calls[0]["dur"].get<double>() * 1000 ==
        Approx(static_cast<double>(call.end_ns - call.start_ns)));
  CHECK(calls[0]["args"]["response_ns"] == call.end_ns - call.intended_ns);
}

TEST_CASE("every slice is on the track of causes, one after the other") {
  const Result result = one_traced();
  const json document = exported(result);
  const auto waiting = events(document, "X", "waiting");
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0]["name"] == "waiting: burner [99]");
  CHECK(track_of(document, waiting[0]) == "causes 0");
  CHECK(waiting[0]["dur"] == 9000.0);
  double sum_us = 0;
  for (const char* cause : {"queued", "running", "waiting", "blocked_io", "unknown"}) {
    for (const json& slice : events(document, "X", cause)) sum_us += slice["dur"].get<double>();
  }
  const ExplainedCall& call = result.traced[0].explanation->calls[0];
  CHECK(sum_us * 1000 == Approx(static_cast<double>(call.end_ns - call.intended_ns)));
}

TEST_CASE("processors, interrupts, storage and wake-ups have their tracks and idle time has none") {
  const json document = exported(one_traced());
  const auto runs = events(document, "X", "run");
  REQUIRE(runs.size() == 3);
  for (const json& run : runs) CHECK(track_of(document, run) == "processor 1");
  const auto interrupts = events(document, "X", "interrupt");
  REQUIRE(interrupts.size() == 1);
  CHECK(track_of(document, interrupts[0]) == "interrupts of 1");
  const auto begun = events(document, "b", "block_io");
  const auto ended = events(document, "e", "block_io");
  REQUIRE((begun.size() == 1 && ended.size() == 1));
  CHECK(begun[0]["id"] == ended[0]["id"]);
  CHECK(ended[0]["ts"].get<double>() - begun[0]["ts"].get<double>() == Approx(5000));
  const auto wakes = events(document, "i", "wake");
  REQUIRE(wakes.size() == 1);
  CHECK(wakes[0]["name"] == "wakes tailgate [4321]");
}

TEST_CASE("a system call is on its thread's track, and nowhere when that thread had no slow call") {
  Result result = one_traced();
  ActivityWindow& window = result.traced[0].explanation->windows[0];
  const json document = exported(result);
  const auto calls = events(document, "X", "syscall");
  REQUIRE(calls.size() == 1);
  CHECK(track_of(document, calls[0]) == "calls of thread 0");
  window.spans[1].pid = 5555;
  CHECK(events(exported(result), "X", "syscall").empty());
  CHECK(events(exported(result), "b", "syscall").empty());
}

TEST_CASE("windows that overlap are one") {
  Result result = one_traced();
  Explanation& explanation = *result.traced[0].explanation;
  const std::size_t before = exported(result)["traceEvents"].size();
  // The second half of the window once more, its first stay cut at the window's begin.
  ActivityWindow later = explanation.windows[0];
  later.runs.erase(later.runs.begin(), later.runs.begin() + 2);
  later.runs.front().start_ns += 1'000'000;
  explanation.windows.push_back(later);
  const json document = exported(result);
  CHECK(document["traceEvents"].size() == before);
}

// The format wants the events of a track beside or within each other.
TEST_CASE("spans of one track nest, holders first") {
  const json document = exported(one_traced());
  std::map<std::pair<int, int>, std::vector<double>> open;
  double last_us = 0;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const double start_us = event["ts"];
    const double end_us = start_us + event["dur"].get<double>();
    CHECK(start_us >= last_us);
    last_us = start_us;
    auto& ends = open[{event["pid"], event["tid"]}];
    while (!ends.empty() && ends.back() <= start_us + 1e-4) ends.pop_back();
    if (!ends.empty()) CHECK(end_us <= ends.back() + 1e-4);
    ends.push_back(end_us);
  }
}

TEST_CASE("calls that queue behind a slow one do not repeat its causes") {
  Result result = one_traced();
  Explanation& explanation = *result.traced[0].explanation;
  ExplainedCall behind = explanation.calls[0];
  behind.sequence += 1;
  behind.intended_ns += 1000;
  behind.start_ns = behind.end_ns;
  behind.end_ns += 2000;
  behind.slices = {{behind.intended_ns, behind.start_ns, "queued", "", 0, ""},
                   {behind.start_ns, behind.end_ns, "running", "", 0, ""}};
  explanation.calls.push_back(behind);
  const json document = exported(result);
  CHECK(events(document, "X", "queued").size() == 1);
  CHECK(events(document, "X", "call").size() == 2);
  CHECK(events(document, "X", "running").size() == 2);
}

TEST_CASE("the kernel's functions have a track of their own, where they were recorded") {
  Result result = one_traced();
  const json document = exported(result);
  const auto functions = events(document, "X", "function");
  REQUIRE(functions.size() == 2);
  CHECK(functions[0]["name"] == "vfs_write");
  CHECK(functions[0]["dur"] == 250);
  CHECK(track_of(document, functions[0]) == "thread 0");
  const auto processes = [](const json& of) {
    return std::count_if(of["traceEvents"].begin(), of["traceEvents"].end(),
                         [](const json& event) { return event["name"] == "process_name"; });
  };
  CHECK(processes(document) == 5);
  result.traced[0].explanation->calls[0].functions.reset();
  CHECK(processes(exported(result)) == 4);
}

TEST_CASE("a result without explained calls is refused") {
  Result result = sample_result();
  result.traced.clear();
  CHECK_THROWS_AS(exported(result), Error);
}

TEST_CASE("names that are no UTF-8 are mended") {
  Result result = one_traced();
  result.traced[0].explanation->windows[0].runs[1].name = "\xff\xfe";
  CHECK_NOTHROW(exported(result));
}

}  // namespace
}  // namespace tailgate
