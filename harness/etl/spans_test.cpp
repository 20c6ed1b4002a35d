#include "harness/etl/spans.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/histogram/histogram_codec.h"
#include "harness/histogram/histogram_log.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint16_t kSpanMetadata = 0x0B;
constexpr std::uint16_t kSpanTraits = 0x0C;
constexpr std::uint8_t kSpanStart = 1;
constexpr std::uint8_t kSpanStop = 2;
constexpr unsigned kSpanU32 = 8;

Guid span_guid(unsigned number) {
  Guid guid;
  guid.bytes[0] = static_cast<std::uint8_t>(number);
  return guid;
}

// Writes a trace of TraceLogging events of the provider "Maker". Times are in us since its start.
class SpanTrace {
 public:
  struct Event {
    std::string name;
    std::uint8_t opcode = 0;
    std::uint32_t thread = 8;
    unsigned activity = 0;  // 0: none
    std::uint32_t task_id = 0;
  };

  void event(std::int64_t time_us, const Event& event) {
    EventRecord record;
    record.provider = span_guid(77);
    record.opcode = event.opcode;
    record.time = options_.start_raw + time_us * 10;
    record.thread = event.thread;
    record.process = 500;
    if (event.activity != 0) record.activity = span_guid(event.activity);
    record.extended = {
        {kSpanMetadata, MetadataBuilder(event.name).field("TaskId", kSpanU32).bytes()},
        {kSpanTraits, provider_traits("Maker")}};
    record.payload = ByteBuilder().u32(event.task_id).bytes();
    writer_.add(0, event_record(record));
  }

  // An event that nothing describes.
  void nameless(std::int64_t time_us, std::uint8_t opcode, std::uint16_t task) {
    EventRecord record;
    record.provider = span_guid(78);
    record.opcode = opcode;
    record.task = task;
    record.id = static_cast<std::uint16_t>(100 + opcode);
    record.time = options_.start_raw + time_us * 10;
    record.thread = 8;
    writer_.add(0, event_record(record));
  }

  void kernel(std::int64_t time_us, std::uint16_t hook, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.time = options_.start_raw + time_us * 10;
    record.payload = payload.bytes();
    writer_.add(0, perf_info_record(record));
  }

  std::string report(const SpanOptions& options, SpanFormat format) {
    const std::vector<std::uint8_t> bytes = writer_.file();
    const TraceFile file(bytes, "test");
    const TraceFile* files[] = {&file};
    Decoder decoder;
    decoder.learn(files);
    std::string out;
    note = report_spans({&file}, decoder, options, format, 10, [&out](std::string_view text) {
      out += text;
      return true;
    });
    return out;
  }

  nlohmann::json spans(const SpanOptions& options = {}) {
    return nlohmann::json::parse(report(options, SpanFormat::json))["spans"];
  }

  std::string note;

 private:
  WriterOptions options_;
  TraceWriter writer_{options_};
};

nlohmann::json named(const nlohmann::json& spans, const std::string& name) {
  for (const auto& span : spans) {
    if (span["name"] == name) return span;
  }
  FAIL("no span is named " << name);
  return {};
}

SpanOptions by(std::string key) {
  SpanOptions options;
  options.by = std::move(key);
  return options;
}

SpanOptions pair_of(std::string pair) {
  SpanOptions options;
  options.pairs = {std::move(pair)};
  return options;
}

}  // namespace

TEST_CASE("spans: the word at the end of an event's name says whether it starts or stops one") {
  const auto side = [](std::string_view name) {
    const auto found = span_side(name);
    if (!found) return std::string("neither");
    return (found->starts ? "start of " : "stop of ") + std::string(found->name);
  };
  CHECK(side("TaskExecute/Start") == "start of TaskExecute");
  CHECK(side("TaskExecute/Stop") == "stop of TaskExecute");
  CHECK(side("GCStart") == "start of GC");
  CHECK(side("GCEnd") == "stop of GC");
  CHECK(side("GCSuspendEEBegin") == "start of GCSuspendEE");
  CHECK(side("query_begin") == "start of query");
  CHECK(side("ETW_OPCODE_START") == "start of ETW_OPCODE");
  CHECK(side("PerfInfo/SysClEnter") == "start of PerfInfo/SysCl");
  CHECK(side("http2Request") == "start of http2");
  CHECK(side("HttpResponse") == "stop of Http");
  CHECK(side("ProcessStart/Start") == "start of Process");
  CHECK(side("ProcessStop/Stop") == "stop of Process");
  CHECK(side("StopStart") == "start of Stop");
  CHECK(side("Stop") == "stop of ");
  CHECK(side("Restart") == "neither");
  CHECK(side("RESTART") == "neither");
  CHECK(side("Append") == "neither");
  CHECK(side("Legend") == "neither");
  CHECK(side("Started") == "neither");
  CHECK(side("") == "neither");
}

// 20 us on one activity around 5 us on another, both on one thread.
TEST_CASE("spans: starts and stops of an activity belong together") {
  SpanTrace trace;
  trace.event(10, {.name = "Work", .opcode = kSpanStart, .activity = 1});
  trace.event(15, {.name = "Work", .opcode = kSpanStart, .activity = 2});
  trace.event(20, {.name = "Work", .opcode = kSpanStop, .activity = 2});
  trace.event(30, {.name = "Work", .opcode = kSpanStop, .thread = 9, .activity = 1});
  const auto work = named(trace.spans(), "Work");
  CHECK(work["provider"] == "Maker");
  CHECK(work["count"] == 2);
  CHECK(work["total_ns"] == 25'000);
  CHECK(work["min_ns"] == 5'000);
  CHECK(work["mean_ns"] == 12'500);
  CHECK(work["max_ns"] == 20'000);
  CHECK(work["unmatched_starts"] == 0);
  CHECK(work["unmatched_stops"] == 0);
}

TEST_CASE("spans: without an activity they belong to the thread, and may be nested") {
  SpanTrace trace;
  trace.event(10, {.name = "ReadBegin"});
  trace.event(11, {.name = "ReadBegin", .thread = 9});
  trace.event(12, {.name = "ReadBegin"});
  trace.event(15, {.name = "ReadEnd"});               // 3 us
  trace.event(41, {.name = "ReadEnd", .thread = 9});  // 30 us
  trace.event(110, {.name = "ReadEnd"});              // 100 us
  trace.event(111, {.name = "ReadEnd"});              // begun before the trace
  trace.event(120, {.name = "ReadBegin"});            // ends after it
  const auto read = named(trace.spans(), "Read");
  CHECK(read["count"] == 3);
  CHECK(read["total_ns"] == 133'000);
  CHECK(read["unmatched_starts"] == 1);
  CHECK(read["unmatched_stops"] == 1);
}

TEST_CASE("spans: a lost stop leaves its start unmatched and does not pair later ones wrongly") {
  SpanTrace trace;
  trace.event(10, {.name = "Work", .opcode = kSpanStart, .activity = 1});  // its stop is lost
  trace.event(50, {.name = "Work", .opcode = kSpanStart, .activity = 1});
  trace.event(52, {.name = "Work", .opcode = kSpanStop, .activity = 1});
  trace.event(90, {.name = "Work", .opcode = kSpanStop, .activity = 1});  // its start is lost
  const auto work = named(trace.spans(), "Work");
  CHECK(work["count"] == 1);
  CHECK(work["max_ns"] == 2'000);
  CHECK(work["unmatched_starts"] == 1);
  CHECK(work["unmatched_stops"] == 1);
}

TEST_CASE("spans: --by a field, the thread or the process") {
  SpanTrace trace;
  trace.event(10, {.name = "JobStart", .thread = 1, .task_id = 7});
  trace.event(12, {.name = "JobStart", .thread = 2, .task_id = 8});
  trace.event(20, {.name = "JobStop", .thread = 2, .task_id = 7});
  trace.event(42, {.name = "JobStop", .thread = 1, .task_id = 8});
  const auto field = named(trace.spans(by("taskid")), "Job");
  CHECK(field["min_ns"] == 10'000);
  CHECK(field["max_ns"] == 30'000);
  const auto thread = named(trace.spans(by("thread")), "Job");
  CHECK(thread["min_ns"] == 8'000);
  CHECK(thread["max_ns"] == 32'000);
  const auto process = named(trace.spans(by("process")), "Job");
  CHECK(process["count"] == 1);
  CHECK(process["unmatched_starts"] == 1);
  CHECK(process["unmatched_stops"] == 1);
  const auto nothing = named(trace.spans(by("activity")), "Job");
  CHECK(nothing["count"] == 0);
  CHECK(nothing["without_key"] == 4);
}

TEST_CASE("spans: events without a name pair by their task and opcode") {
  SpanTrace trace;
  trace.nameless(10, kSpanStart, 3);
  trace.nameless(17, kSpanStop, 3);
  CHECK(named(trace.spans(), "Task(3)")["max_ns"] == 7'000);
}

TEST_CASE("spans: a disk request and its completion, by the request packet") {
  SpanTrace trace;
  trace.kernel(10, 0x010C, ByteBuilder().u64(0xFFFFA001));
  trace.kernel(20, 0x010C, ByteBuilder().u64(0xFFFFA002));
  const auto done = [](std::uint64_t irp) {
    return ByteBuilder().u32(0).u32(0).u32(4096).u32(0).u64(0).u64(1).u64(irp).u64(0);
  };
  trace.kernel(35, 0x010A, done(0xFFFFA001));
  trace.kernel(120, 0x010A, done(0xFFFFA002));
  const auto read = named(trace.spans(), "DiskIo/Read");
  CHECK(read["count"] == 2);
  CHECK(read["min_ns"] == 25'000);
  CHECK(read["max_ns"] == 100'000);
}

TEST_CASE("spans: what existed before the trace and still exists at its end is none") {
  SpanTrace trace;
  trace.kernel(1, 0x0503, ByteBuilder().u32(600).u32(12));
  trace.kernel(5, 0x0501, ByteBuilder().u32(600).u32(13));
  trace.kernel(9, 0x0502, ByteBuilder().u32(600).u32(13));
  trace.kernel(10, 0x0504, ByteBuilder().u32(600).u32(12));
  const auto spans = trace.spans();
  REQUIRE(spans.size() == 1);
  CHECK(spans[0]["name"] == "Thread");
  CHECK(spans[0]["max_ns"] == 4'000);
}

TEST_CASE("spans: --pair names the events, even one and the same") {
  SpanTrace trace;
  trace.event(10, {.name = "Sent", .task_id = 1});
  trace.event(14, {.name = "Received", .thread = 9, .task_id = 1});
  trace.event(30, {.name = "Sent", .task_id = 2});
  SpanOptions options = pair_of("sent=RECEIVED");
  options.by = "TaskId";
  auto spans = trace.spans(options);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0]["provider"].is_null());
  CHECK(spans[0]["count"] == 1);
  CHECK(spans[0]["max_ns"] == 4'000);
  CHECK(spans[0]["unmatched_starts"] == 1);
  spans = trace.spans(pair_of("Sent=Sent"));
  CHECK(spans[0]["count"] == 1);
  CHECK(spans[0]["max_ns"] == 20'000);
  CHECK(spans[0]["unmatched_starts"] == 1);  // the last one
  for (const char* wrong : {"Sent", "=Sent", "Sent=", ""}) {
    CHECK_THROWS_AS(trace.spans(pair_of(wrong)), tailgate::Error);
  }
}

TEST_CASE("spans: the filter chooses events, and what is left of a pair is counted") {
  SpanTrace trace;
  trace.event(10, {.name = "JobStart"});
  trace.event(1000, {.name = "JobStop"});
  SpanOptions options;
  options.filter.to_ms = 0.5;
  CHECK(named(trace.spans(options), "Job")["unmatched_starts"] == 1);
  options = {};
  options.filter.providers = {"Makr"};
  CHECK(trace.spans(options).empty());
  CHECK_THAT(trace.note, Catch::Contains("near: 'Maker'"));
}

TEST_CASE("spans: a trace in which nothing starts says how to name what does") {
  SpanTrace trace;
  trace.event(10, {.name = "Sent"});
  CHECK(trace.spans().empty());
  CHECK_THAT(trace.note, Catch::Contains("--pair START=STOP"));
}

TEST_CASE("spans: the interval log has a tagged line for each of several kinds") {
  SpanTrace trace;
  trace.event(1'000'000, {.name = "a b,cStart"});
  trace.event(1'500'000, {.name = "a b,cStop"});
  trace.event(2'000'000, {.name = "JobStart"});
  trace.event(2'000'100, {.name = "JobStop"});
  const std::string log = trace.report({}, SpanFormat::hlog);
  tailgate::HistogramLogReader reader(log);
  auto interval = reader.next();
  REQUIRE(interval);
  CHECK(interval->tag == "Maker/a_b_c");
  // The writer's session starts at FILETIME 132,000,000,000,000,000.
  CHECK(interval->start_s == Approx(13'200'000'000.0 - 11'644'473'600.0 + 1));
  CHECK(interval->length_s == Approx(0.5));
  CHECK(interval->histogram.total_count() == 1);
  CHECK(interval->histogram.max() == Approx(500e6).epsilon(1e-3));
  interval = reader.next();
  REQUIRE(interval);
  CHECK(interval->tag == "Maker/Job");
  CHECK(interval->histogram.max() == Approx(100e3).epsilon(1e-3));
  CHECK_FALSE(reader.next());
  SpanOptions job;
  job.filter.events = {"JobStart", "JobStop"};
  const std::string one = trace.report(job, SpanFormat::hlog);
  CHECK(tailgate::HistogramLogReader(one).next()->tag.empty());
}

TEST_CASE("spans: the histogram in JSON is HdrHistogram's encoding of the durations") {
  SpanTrace trace;
  tailgate::Histogram expected{tailgate::HistogramRange{}};
  for (int i = 1; i <= 50; ++i) {
    trace.event(1000 * i, {.name = "JobStart"});
    trace.event(1000 * i + 7 * i, {.name = "JobStop"});
    expected.record(static_cast<std::uint64_t>(7'000 * i));
  }
  const auto job = named(trace.spans(), "Job");
  CHECK(tailgate::decode(job["histogram"].get<std::string>()) == expected);
  CHECK(job["p50_ns"] == expected.value_at_quantile(0.5));
  CHECK(job["p99_ns"] == 350'000);  // the slot of the longest ends above it
}

TEST_CASE("spans: every span as a line, and the table") {
  SpanTrace trace;
  trace.event(1'000, {.name = "JobStart"});
  trace.event(1'250, {.name = "JobStop"});
  CHECK(trace.report({}, SpanFormat::tsv) ==
        std::string(kSpanColumns) + "\n1.000000\t0.250000\t500\t8\tMaker\tJob\tthread=8\t\n");
  const std::string text = trace.report({}, SpanFormat::text);
  CHECK_THAT(text, Catch::Contains("  Maker/Job\n"));
  CHECK_THAT(text, Catch::Contains(" 0.2500 "));
}
