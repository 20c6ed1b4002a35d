#include "harness/etl/to_perfetto.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/etl/testing/kernel_trace.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/thread_slices.h"

using namespace tailgate::etl;

namespace {

using nlohmann::json;

ByteBuilder real(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return ByteBuilder().u64(bits);
}

// Threads 8 (process 500, "app.exe") and 12 (process 600). Times are in us since the start.
class Recording {
 public:
  void kernel(std::int64_t time_us, std::uint16_t hook, const ByteBuilder& payload,
              std::uint16_t processor = 0, const std::vector<std::uint64_t>& counters = {}) {
    KernelRecord record;
    record.hook_id = hook;
    record.time = at(time_us);
    record.payload = payload.bytes();
    writer_.add(processor, perf_info_record(record, counters));
  }
  void switch_to(std::int64_t time_us, std::uint32_t to, std::uint32_t from, std::uint8_t state,
                 std::uint8_t reason, std::uint16_t processor = 0) {
    writer_.add(processor, context_switch_record(at(time_us), to, from, state, reason));
  }
  void names(std::int64_t time_us) {
    ByteBuilder process;
    process.u64(1).u32(500).u32(4).u32(0).u32(0).u32(0).text8("app.exe").text16("");
    kernel(time_us, 0x0303, process);
    kernel(time_us, 0x0503, ByteBuilder().u32(500).u32(8));
    kernel(time_us, 0x0503, ByteBuilder().u32(600).u32(12));
  }
  void event(std::int64_t time_us, const ByteBuilder& payload, const MetadataBuilder& metadata,
             std::uint32_t process = 500, std::uint32_t thread = 8) {
    EventRecord record;
    record.provider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
    record.time = at(time_us);
    record.process = process;
    record.thread = thread;
    record.extended = {{0x0B, metadata.bytes()}, {0x0C, provider_traits("Some-Provider")}};
    record.payload = payload.bytes();
    writer_.add(1, event_record(record));
  }

  json exported(const std::vector<std::string>& counters = {}, const EventFilter& filter = {}) {
    const std::vector<std::uint8_t> bytes = writer_.file();
    const TraceFile file(bytes, "test");
    Decoder decoder;
    decoder.learn(std::vector<const TraceFile*>{&file});
    const tailgate::TestDirectory folder;
    const auto path = folder.path() / "trace.json";
    counts = write_perfetto({&file}, decoder, filter, counters, path, false);
    std::ifstream in(path, std::ios::binary);
    return json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }

  PerfettoCounts counts;

 private:
  static std::int64_t at(std::int64_t time_us) { return 1'000'000'000 + 10 * time_us; }
  TraceWriter writer_{WriterOptions()};
};

std::vector<json> events(const json& document, const std::string& phase,
                         const std::string& category = "") {
  std::vector<json> found;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] != phase) continue;
    if (category.empty() || event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

std::string shown(const json& slice) {
  return slice["name"].get<std::string>() + " " + slice["ts"].dump() + " " + slice["dur"].dump();
}

std::vector<std::string> slices_on(const json& document, unsigned process, unsigned thread) {
  std::vector<std::string> found;
  for (const json& slice : events(document, "X")) {
    if (slice["pid"] == process && slice["tid"] == thread) found.push_back(shown(slice));
  }
  return found;
}

std::string name_of(const json& document, const char* what, unsigned process, unsigned thread = 0) {
  for (const json& event : events(document, "M")) {
    if (event["name"] == what && event["pid"] == process && event.value("tid", 0u) == thread) {
      return event["args"]["name"];
    }
  }
  return "";
}

}  // namespace

TEST_CASE("to-perfetto: who ran, waited and was ready, on both tracks") {
  Recording trace;
  trace.switch_to(100, 8, 0, kReady, 0);
  trace.switch_to(250, 12, 8, kWaiting, kUserRequest);
  trace.kernel(300, 0x0532, ByteBuilder().u32(8).u8(1).u8(0).u8(0).u8(0));
  trace.switch_to(400, 8, 12, kReady, kWrPreempted);
  trace.switch_to(500, 0, 8, kWaiting, kUserRequest);
  trace.names(600);
  const json document = trace.exported();
  const std::vector<std::string> processor = {"app.exe [8] 100.0 150.0", "? [12] 250.0 150.0",
                                              "app.exe [8] 400.0 100.0"};
  CHECK(slices_on(document, 1, 1) == processor);
  const std::vector<std::string> thread = {
      "on processor 0 100.0 150.0", "waits: UserRequest 250.0 50.0", "ready 300.0 100.0",
      "on processor 0 400.0 100.0", "waits: UserRequest 500.0 100.0"};
  CHECK(slices_on(document, 500, 8) == thread);
  const std::vector<std::string> other = {"on processor 0 250.0 150.0", "ready 400.0 200.0"};
  CHECK(slices_on(document, 600, 12) == other);
  CHECK(name_of(document, "process_name", 500) == "app.exe");
  CHECK(name_of(document, "process_name", 1) == "processors");
  CHECK(name_of(document, "thread_name", 1, 1) == "processor 0");
  CHECK(trace.counts.slices == 3 + 5 + 2);
  CHECK(trace.counts.broken_runs == 0);
}

TEST_CASE("to-perfetto: a run whose switch is missing is left out and counted") {
  Recording trace;
  trace.names(0);
  trace.switch_to(100, 8, 0, kReady, 0);
  trace.switch_to(250, 16, 12, kWaiting, kUserRequest);
  trace.switch_to(300, 0, 16, kWaiting, kUserRequest);
  const json document = trace.exported();
  CHECK(slices_on(document, 1, 1) == std::vector<std::string>{"unknown process [16] 250.0 50.0"});
  CHECK(trace.counts.broken_runs == 1);
}

TEST_CASE("to-perfetto: a thread that ended waits for nothing") {
  Recording trace;
  trace.names(0);
  trace.switch_to(100, 8, 0, kReady, 0);
  trace.kernel(240, 0x0502, ByteBuilder().u32(500).u32(8));
  trace.switch_to(250, 12, 8, kTerminated, kUserRequest);
  trace.switch_to(300, 0, 12, kWaiting, kUserRequest);
  trace.kernel(400, 0x0503, ByteBuilder().u32(600).u32(12));
  const json document = trace.exported();
  CHECK(slices_on(document, 500, 8) == std::vector<std::string>{"on processor 0 100.0 150.0"});
  const std::vector<std::string> other = {"on processor 0 250.0 50.0",
                                          "waits: UserRequest 300.0 100.0"};
  CHECK(slices_on(document, 600, 12) == other);
}

TEST_CASE("to-perfetto: waits beyond the limit of threads are counted") {
  const tailgate::TestDirectory folder;
  TraceEventFile file(folder.path() / "trace.json", false, "{}");
  ThreadSlices slices(
      file, [](std::uint32_t) { return 500; }, [](std::uint32_t) { return "a"; });
  for (std::uint32_t i = 1; i <= ThreadSlices::kMaxThreads + 2; ++i) {
    ByteBuilder payload;
    payload.u32(0).u32(i).u32(0).u8(kUserRequest).u8(0).u8(kWaiting).u8(0).u64(0);
    slices.add_switch(0, payload.bytes(), i);
  }
  CHECK(slices.over_limit() == 2);
}

TEST_CASE("to-perfetto: samples and interrupts are named by image and offset") {
  Recording trace;
  trace.names(0);
  ByteBuilder image;
  image.u64(0xF000'0000).u64(0x1000).u32(0).u32(0).u32(0).u32(0).u64(0).u64(0).u64(0);
  trace.kernel(20, 0x1403, image.text16("\\Windows\\driver.sys"));
  trace.kernel(100, 0x0F2E, ByteBuilder().u64(0xF000'0010).u32(8).u16(1).u16(0));
  // ISRs and DPCs tell when they began, on the session's clock.
  trace.kernel(200, 0x0F44, ByteBuilder().u64(1'000'000'000 + 10 * 150).u64(0xF000'0020), 1);
  const json document = trace.exported();
  const auto samples = events(document, "i", "sample");
  REQUIRE(samples.size() == 1);
  CHECK(samples[0]["name"] == "driver.sys+0x10");
  CHECK(samples[0]["pid"] == 500);
  CHECK(samples[0]["tid"] == 8);
  CHECK(samples[0]["args"]["address"] == "0xf0000010");
  CHECK(slices_on(document, 1, 4) == std::vector<std::string>{"DPC driver.sys+0x20 150.0 50.0"});
  CHECK(name_of(document, "thread_name", 1, 4) == "interrupts of 1");
}

TEST_CASE("to-perfetto: starts and stops are spans, and instants with their fields") {
  Recording trace;
  trace.event(10, ByteBuilder().u32(7), MetadataBuilder("WorkStart").field("Size", 8));
  trace.event(35, ByteBuilder().u32(9), MetadataBuilder("WorkStop").field("Size", 8));
  const json document = trace.exported({"WorkStop=Size"});
  const auto begun = events(document, "b");
  const auto ended = events(document, "e");
  REQUIRE((begun.size() == 1 && ended.size() == 1));
  CHECK(begun[0]["name"] == "Work");
  CHECK(begun[0]["cat"] == "Some-Provider");
  CHECK(begun[0]["ts"] == 10.0);
  CHECK(ended[0]["ts"] == 35.0);
  CHECK(begun[0]["id"] == ended[0]["id"]);
  CHECK(begun[0]["args"]["key"] == "thread=8");
  const auto instants = events(document, "i", "Some-Provider");
  REQUIRE(instants.size() == 2);
  CHECK(instants[0]["name"] == "WorkStart");
  CHECK(instants[0]["args"] == json{{"Size", 7}});
  CHECK(instants[0]["s"] == "t");
  const auto counters = events(document, "C");
  REQUIRE(counters.size() == 1);
  CHECK(counters[0]["name"] == "WorkStop Size");
  CHECK(counters[0]["pid"] == 500);
  CHECK(counters[0]["args"]["value"] == 9);
}

TEST_CASE("to-perfetto: counters of .NET and of processors") {
  Recording trace;
  constexpr unsigned kStructure = 0x18;
  constexpr unsigned kDouble = 0x0C;
  constexpr unsigned kText = 0x02;
  ByteBuilder payload;
  payload.text8("cpu-usage").raw(real(12.5).bytes());
  MetadataBuilder metadata("EventCounters");
  metadata.field("Payload", kStructure, 2).field("Name", kText).field("Mean", kDouble);
  trace.event(10, payload, metadata);
  trace.kernel(20, 0x0532, ByteBuilder().u32(8).u8(1).u8(0).u8(0).u8(0), 0, {77});
  const json document = trace.exported();
  const auto counters = events(document, "C");
  REQUIRE(counters.size() == 2);
  CHECK(counters[0]["name"] == "cpu-usage");
  CHECK(counters[0]["args"]["value"] == 12.5);
  CHECK(counters[1]["name"] == "counter 0 of processor 0");
  CHECK(counters[1]["args"]["value"] == 77);
  CHECK(counters[1]["pid"] == kProcessorsTrack);
}

TEST_CASE("to-perfetto: a counter that is infinite or no number is left out and counted") {
  constexpr unsigned kDouble = 0x0C;
  Recording trace;
  const auto infinite = std::numeric_limits<double>::infinity();
  for (const double value : {infinite, 0.5, std::nan(""), -infinite}) {
    trace.event(10, real(value), MetadataBuilder("Load").field("Share", kDouble));
  }
  const json document = trace.exported({"Load=Share"});
  const auto counters = events(document, "C");
  REQUIRE(counters.size() == 1);
  CHECK(counters[0]["args"]["value"] == 0.5);
  CHECK(trace.counts.counters == 1);
  CHECK(trace.counts.counters_not_finite == 3);
}

TEST_CASE("to-perfetto: no process has the processors' tracks") {
  Recording trace;
  trace.event(10, ByteBuilder().u32(7), MetadataBuilder("WorkStart").field("Size", 8), 1);
  trace.event(20, ByteBuilder().u32(7), MetadataBuilder("WorkStop").field("Size", 8), 1);
  trace.event(30, ByteBuilder(), MetadataBuilder("One"), 1, RecordHeader::kNoId);
  trace.kernel(40, 0x0503, ByteBuilder().u32(1).u32(16));
  trace.switch_to(50, 16, 0, kReady, 0);
  const json document = trace.exported({"WorkStop=Size"});
  for (const json& event : document["traceEvents"]) {
    CAPTURE(event.dump());
    const bool of_processors = event["ph"] == "M" || event.value("cat", "") == "running";
    CHECK((event["pid"] != kProcessorsTrack || of_processors ||
           event.value("cat", "") == "Windows Kernel"));
  }
  CHECK(name_of(document, "thread_name", 1, 1) == "processor 0");
  CHECK(name_of(document, "process_name", 0) == "unknown process");
  CHECK(slices_on(document, 0, 16) == std::vector<std::string>{"on processor 0 50.0 0.0"});
}

TEST_CASE("to-perfetto: a filter chooses, and stacks are left to the profile") {
  Recording trace;
  trace.names(0);
  trace.kernel(5, 0x1820, ByteBuilder().u64(1).u32(500).u32(8).u64(2));
  trace.kernel(6, 0x1825, ByteBuilder().u64(1).u32(500).u32(8).u64(2));
  trace.kernel(7, 0x1826, ByteBuilder().u64(1).u32(500).u32(8).u64(2));
  trace.event(10, ByteBuilder(), MetadataBuilder("One"));
  EventFilter filter;
  CHECK(!events(trace.exported(), "i", "Windows Kernel").empty());
  CHECK(trace.counts.stack_walks == 3);
  filter.events = {"One"};
  const json document = trace.exported({}, filter);
  REQUIRE(events(document, "i").size() == 1);
  CHECK(events(document, "i")[0]["args"].empty());
  CHECK(name_of(document, "process_name", 500) == "app.exe");
  filter.events = {"On"};
  trace.exported({}, filter);
  CHECK(trace.counts.why_nothing.find("'One'") != std::string::npos);
}

TEST_CASE("to-perfetto: a counter names an event and a field") {
  Recording trace;
  trace.names(0);
  for (const char* text : {"", "=", "Event", "Event=", "=Field", "Event=a b"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(trace.exported({text}), tailgate::Error);
  }
}
