#include "harness/etl/report.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/etl/container.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

namespace {

// A trace with known content: thread 8 of process 500 ("app.exe") is woken at 60 and runs on
// processor 0 from 100 to 300, with a DPC of 40 in between. Then thread 12 of process 600 runs
// until 400.
std::vector<std::uint8_t> kernel_trace() {
  WriterOptions options;
  options.start_raw = 1'000'000;
  TraceWriter writer(options);
  std::int64_t t = options.start_raw;
  auto kernel = [&](std::uint16_t hook, std::uint8_t version, std::int64_t time,
                    const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = version;
    record.time = t + time;
    record.payload = payload.bytes();
    writer.add(0, perf_info_record(record));
  };
  auto process = [&](std::uint32_t id, std::string_view name) {
    ByteBuilder b;
    kernel(0x0303, 2, 1,
           b.u64(1).u32(id).u32(4).u32(0).u32(0).u32(0).text8(name).text16("command"));
  };
  ByteBuilder masks;
  masks.u32(0).u32(0x4 | 0x80 | 0x200).zeros(24).u32(42);
  kernel(0x0005, 2, 0, masks);
  process(500, "app.exe");
  process(600, "other.exe");
  ByteBuilder first;
  kernel(0x0503, 1, 2, first.u32(500).u32(8));
  ByteBuilder second;
  kernel(0x0503, 1, 2, second.u32(600).u32(12));
  ByteBuilder image;
  image.u64(0xFFFFF80000000000).u64(0x1000).u32(0).zeros(12).u64(0).zeros(16).text16("\\x\\nt.exe");
  kernel(0x1403, 2, 3, image);
  ByteBuilder ready;
  kernel(0x0532, 2, 60, ready.u32(8).u32(0));
  writer.add(0, context_switch_record(t + 100, 8, 0));
  ByteBuilder dpc;
  kernel(0x0F44, 2, 190, dpc.u64(static_cast<std::uint64_t>(t + 150)).u64(0xFFFFF80000000010));
  ByteBuilder sample;
  kernel(0x0F2E, 2, 250, sample.u64(0x1234).u32(8).u16(1).u8(0).u8(0));
  ByteBuilder read;
  read.u32(0).u32(0).u32(4096).u32(0).u64(0).u64(1).u64(2).u64(500);
  kernel(0x010A, 2, 260, read);
  ByteBuilder fault;
  fault.u64(static_cast<std::uint64_t>(t + 200)).u64(0).u64(1).u64(2).u32(8).u32(8192);
  kernel(0x0220, 2, 270, fault);
  writer.add(0, context_switch_record(t + 300, 12, 8, 1));
  writer.add(0, context_switch_record(t + 400, 0, 12));
  return writer.file();
}

std::string collect(const std::function<void(const TextSink&)>& report) {
  std::string out;
  report([&out](std::string_view text) {
    out += text;
    return true;
  });
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string dump(const TraceFile& file, const DumpOptions& options) {
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  return collect([&](const TextSink& sink) { dump_events({&file}, decoder, options, sink); });
}

}  // namespace

TEST_CASE("cpu: threads, processes, routines, wake-ups, disks and faults of a known trace") {
  std::vector<std::uint8_t> bytes = kernel_trace();
  TraceFile file(bytes, "test");
  std::string out =
      collect([&](const TextSink& sink) { report_cpu({&file}, TextFormat::json, 10, sink); });
  nlohmann::json json = nlohmann::json::parse(out);
  CHECK(json["switches"] == 3);
  REQUIRE(json["processes"].size() == 2);
  CHECK(json["processes"][0]["name"] == "app.exe");
  CHECK(json["processes"][0]["cpu_s"] == Approx(160e-7));
  CHECK(json["processes"][1]["cpu_s"] == Approx(100e-7));
  CHECK(json["threads"][0]["preemptions"] == 1);
  CHECK(json["threads"][0]["wake_up_max_ns"] == Approx(4000));
  CHECK(json["routines"][0]["routine"] == "nt.exe+0x10");
  CHECK(json["routines"][0]["cpu_s"] == Approx(40e-7));
  CHECK(json["processors"][0]["idle_s"] == Approx(100e-7));
  CHECK(json["wake_up_ns"]["count"] == 1);
  CHECK(json["disks"][0]["read_bytes"] == 4096);
  CHECK(json["disks"][0]["response_mean_ns"] == Approx(50'000));
  CHECK(json["page_faults"]["hard"] == 1);
  CHECK(json["page_faults"]["hard_mean_ns"] == Approx(7000));
  // ISRs were not enabled; the report says so instead of showing a zero.
  CHECK(json["notes"].dump().find("ISRs: none in the trace; they were not enabled") !=
        std::string::npos);
  CHECK(collect([&](const TextSink& sink) {
          report_cpu({&file}, TextFormat::text, 10, sink);
        }).find("app.exe") != std::string::npos);
}

TEST_CASE("dump: a record without a thread id gets that of the running thread") {
  std::vector<std::uint8_t> bytes = kernel_trace();
  TraceFile file(bytes, "test");
  DumpOptions options;
  options.format = DumpFormat::json_lines;
  options.filter.events = {"HardFault", "DiskIo/Read", "PerfInfo/SampledProfile"};
  auto lines = lines_of(dump(file, options));
  REQUIRE(lines.size() == 3);
  for (const std::string& line : lines) {
    nlohmann::json event = nlohmann::json::parse(line);
    CHECK(event["tid"] == 8);
    CHECK(event["pid"] == 500);
    CHECK(event["attributed"] == true);
  }
}

// A trace in which every name and text tries to control the terminal that shows it.
std::vector<std::uint8_t> hostile_trace() {
  const std::string hostile = "\x1B[2J\x1B]0;title\x07\r\n\t=1+1\x7F";
  WriterOptions options;
  options.session_name = hostile;
  TraceWriter writer(options);
  std::int64_t time = options.start_raw;
  const auto kernel = [&](std::uint16_t hook, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = 2;
    record.time = ++time;
    record.payload = payload.bytes();
    writer.add(0, perf_info_record(record));
  };
  ByteBuilder process;
  kernel(0x0303,
         process.u64(1).u32(500).u32(4).u32(0).u32(0).u32(0).text8(hostile).text16(hostile));
  kernel(0x0503, ByteBuilder().u32(500).u32(8));
  ByteBuilder image;
  kernel(0x1403, image.u64(0x10000).u64(0x1000).u32(0).zeros(12).u64(0).zeros(16).text16(hostile));
  writer.add(0, context_switch_record(++time, 8, 0));
  kernel(0x0F44, ByteBuilder().u64(static_cast<std::uint64_t>(time)).u64(0x10010));
  EventRecord event;
  event.provider = Guid{{1, 2, 3}};
  event.time = ++time;
  event.extended.emplace_back(std::uint16_t{0x0C}, provider_traits(hostile));
  MetadataBuilder metadata(hostile);
  metadata.field(hostile, 1).field("narrow", 2);
  event.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
  event.payload = ByteBuilder().text16(hostile).text8(hostile).bytes();
  writer.add(0, event_record(event));
  writer.add(0, context_switch_record(++time, 0, 8));
  return writer.file();
}

bool controls_a_terminal(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

TEST_CASE("no name or text of a trace controls the terminal, in any report") {
  const std::vector<std::uint8_t> bytes = hostile_trace();
  const TraceFile file(bytes, "test");
  const std::vector<const TraceFile*> files = {&file};
  Decoder decoder;
  decoder.learn(files);
  const TextFormat format = GENERATE(TextFormat::text, TextFormat::json);
  DumpOptions lines;
  lines.format = format == TextFormat::text ? DumpFormat::tsv : DumpFormat::json_lines;
  const std::vector<std::string> reports = {
      collect([&](const TextSink& sink) { report_info(file, decoder, format, sink); }),
      collect([&](const TextSink& sink) { report_stats(files, decoder, format, sink); }),
      collect([&](const TextSink& sink) { report_cpu(files, format, 10, sink); }),
      dump(file, lines)};
  for (const std::string& report : reports) {
    INFO(report);
    CHECK(report.find("title") != std::string::npos);  // the text itself is shown
    CHECK(std::none_of(report.begin(), report.end(), controls_a_terminal));
  }
  // Of the dump's lines, none is made by a line feed in a text, and no column by a tab.
  const std::vector<std::string> dumped = lines_of(reports.back());
  CHECK(dumped.size() == (format == TextFormat::text ? 9 : 8));
}

// A disk's completion and a network packet are logged on any thread; the payload names the right
// one.
TEST_CASE("dump: a thread or process named in the payload takes precedence") {
  WriterOptions options;
  TraceWriter writer(options);
  std::int64_t time = options.start_raw;
  auto kernel = [&](std::uint16_t hook, std::uint8_t version, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = hook;
    record.version = version;
    record.time = ++time;
    record.payload = payload.bytes();
    writer.add(0, perf_info_record(record));
  };
  kernel(0x0503, 1, ByteBuilder().u32(600).u32(77));
  writer.add(0, context_switch_record(++time, 8, 0));
  kernel(0x010A, 3, ByteBuilder().zeros(48).u32(77));
  kernel(0x010E, 3, ByteBuilder().zeros(24).u32(77));
  kernel(0x0220, 2, ByteBuilder().zeros(32).u32(77).u32(4096));
  kernel(0x060A, 2, ByteBuilder().u32(900).zeros(40));
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile file(bytes, "test");
  DumpOptions dump_options;
  dump_options.format = DumpFormat::json_lines;
  dump_options.filter.events = {"DiskIo/Read", "DiskIo/FlushBuffers", "HardFault", "TcpIp/Send"};
  auto lines = lines_of(dump(file, dump_options));
  REQUIRE(lines.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) {
    nlohmann::json event = nlohmann::json::parse(lines[i]);
    CHECK(event["tid"] == 77);
    CHECK(event["pid"] == 600);
  }
  nlohmann::json packet = nlohmann::json::parse(lines[3]);
  CHECK(packet["pid"] == 900);
  CHECK(packet["tid"].is_null());
}

TEST_CASE("dump: filters, limits and the shape of TSV") {
  std::vector<std::uint8_t> bytes = kernel_trace();
  TraceFile file(bytes, "test");
  DumpOptions options;
  auto all = lines_of(dump(file, options));
  REQUIRE(all.front() == kDumpColumns);
  CHECK(all.size() == 1 + 15);
  options.filter.from_ms = 0.0299;
  options.filter.to_ms = 0.0301;
  auto window = lines_of(dump(file, options));
  REQUIRE(window.size() == 2);
  CHECK(
      window[1].starts_with("0.030000\t0\t600\t12\tWindows Kernel\tThread/CSwitch\t0\t2\t36\t0\t"
                            "24\tNewThreadId=12\tOldThreadId=8\t"));
  options = {};
  options.filter.process_ids = {500};
  CHECK(lines_of(dump(file, options)).size() > 2);
  options.filter.providers = {"no such provider"};
  CHECK(lines_of(dump(file, options)).size() == 1);
  options.filter.providers = {"windows kernel"};
  options.max_events = 2;
  CHECK(lines_of(dump(file, options)).size() == 3);
}

TEST_CASE("dump stops when the reader has closed its output") {
  WriterOptions options;
  TraceWriter writer(options);
  for (int i = 0; i < 20'000; ++i) {
    writer.add(0, context_switch_record(options.start_raw + i, 8, 0));
  }
  std::vector<std::uint8_t> bytes = writer.file();
  TraceFile file(bytes, "test");
  Decoder decoder;
  int calls = 0;
  dump_events({&file}, decoder, {}, [&calls](std::string_view) {
    ++calls;
    return false;
  });
  CHECK(calls == 1);
}

TEST_CASE("info and stats count the trace's events") {
  std::vector<std::uint8_t> bytes = kernel_trace();
  TraceFile file(bytes, "test");
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  nlohmann::json info = nlohmann::json::parse(
      collect([&](const TextSink& sink) { report_info(file, decoder, TextFormat::json, sink); }));
  CHECK(info["records"] == 15);
  CHECK(info["undecoded_records"] == 0);
  CHECK(info["sessions"][0]["session_name"] == "test session");
  CHECK(info["sessions"][0]["mode_names"] == "sequential");
  CHECK(info["records_by_kind"]["perf_info"] == 14);
  CHECK(info["damage"]["damaged_buffers"] == 0);
  nlohmann::json stats = nlohmann::json::parse(collect(
      [&](const TextSink& sink) { report_stats({&file}, decoder, TextFormat::json, sink); }));
  CHECK(stats["events"][0]["event"] == "Thread/CSwitch");
  CHECK(stats["events"][0]["events"] == 3);
  CHECK(stats["events"][0]["payload_bytes"] == 72);
  std::string text =
      collect([&](const TextSink& sink) { report_info(file, decoder, TextFormat::text, sink); });
  CHECK(text.find("events_lost: 0") != std::string::npos);
}

TEST_CASE("info and stats name what has no public description, and count its bytes") {
  WriterOptions options;
  TraceWriter writer(options);
  const auto classic = [&](std::string_view event_class, std::uint8_t opcode) {
    ClassicRecord record;
    record.event_class = *parse_guid(event_class);
    record.opcode = opcode;
    record.time = options.start_raw;
    record.payload = ByteBuilder().u64(1).bytes();
    writer.add(0, full_record(record));
  };
  for (std::uint8_t opcode : {std::uint8_t{34}, std::uint8_t{39}, std::uint8_t{41}}) {
    classic("b3e675d7-2554-4f18-830b-2762732560de", opcode);
  }
  classic("9b79ee91-b5fd-41c0-a243-4248e266e9d0", 36);
  KernelRecord kernel;
  kernel.time = options.start_raw;
  kernel.hook_id = 0x0B13;
  kernel.payload = ByteBuilder().u64(1).bytes();
  writer.add(0, system_record(kernel));
  kernel.hook_id = 0x0525;
  kernel.payload = ByteBuilder().zeros(88).u16(0x0404).bytes();
  writer.add(0, perf_info_record(kernel));
  const std::vector<std::uint8_t> bytes = writer.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  const auto info = nlohmann::json::parse(
      collect([&](const TextSink& sink) { report_info(file, decoder, TextFormat::json, sink); }));
  CHECK(info["without_public_description"].size() == 6);
  CHECK(info["without_public_description"]["SysConfig, opcode 36"] == 1);
  const std::string stats = collect(
      [&](const TextSink& sink) { report_stats({&file}, decoder, TextFormat::text, sink); });
  CHECK_THAT(stats, Catch::Contains("(undecoded: no public description)"));
  CHECK_THAT(stats, Catch::Contains("CompCS  (what its bits mean has no public description)"));
  CHECK_THAT(stats, Catch::Contains(" 40 undecoded;"));
}

TEST_CASE("info says what compressed buffers and a container save") {
  WriterOptions options;
  options.compression = CompressionFormat::xpress;
  TraceWriter writer(options);
  KernelRecord kernel;
  kernel.time = options.start_raw;
  kernel.payload = ByteBuilder().zeros(2000).bytes();
  for (int i = 0; i < 4; ++i) writer.add(0, system_record(kernel));
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  const auto info = [&](const ContainerBytes* container) {
    return nlohmann::json::parse(collect([&](const TextSink& sink) {
      report_info(file, decoder, TextFormat::json, sink, container);
    }));
  };
  std::uint64_t stored = 0;
  std::uint64_t filled = 0;
  for (const BufferRef& buffer : file.buffers().subspan(1)) {
    stored += buffer.size_bytes;
    filled += buffer.filled_bytes;
  }
  const auto alone = info(nullptr);
  CHECK(alone["compressed_buffers"] == file.buffers().size() - 1);
  CHECK(alone["compressed_buffers_bytes"] == stored);
  CHECK(alone["decompressed_buffers_bytes"] == filled);
  CHECK(alone["compression_ratio"].get<double>() ==
        Approx(static_cast<double>(filled) / static_cast<double>(stored)).margin(0.005));
  CHECK(alone.count("container_bytes") == 0);
  ContainerBytes container{.packed = 1000, .unpacked = 8000, .other_members = 0};
  CHECK(info(&container)["container_ratio"] == 8.0);
  container.other_members = 1;
  CHECK(info(&container)["container_other_files"] == 1);
  CHECK(info(&container).count("container_ratio") == 0);
}

// Events of one provider, at 1 ms, 1 s and 10 minutes after the session's start.
std::vector<std::uint8_t> timed_trace() {
  WriterOptions options;
  TraceWriter writer(options);
  for (std::int64_t ms : {1, 1000, 600'000}) {
    EventRecord event;
    event.provider = Guid{{1, 2, 3}};
    event.time = options.start_raw + ms * 10'000;
    event.process = 500;
    event.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("My.Provider"));
    event.extended.emplace_back(std::uint16_t{0x0B}, MetadataBuilder("Tick").bytes());
    writer.add(0, event_record(event));
  }
  return writer.file();
}

TEST_CASE("dump: absolute times, in UTC and where it was recorded") {
  const std::vector<std::uint8_t> bytes = timed_trace();
  const TraceFile file(bytes, "test");
  DumpOptions options;
  options.filter.events = {"Tick"};
  // 132,000,000,000,000,000 * 100 ns after 1601, by date(1); the writer's zone is UTC+1.
  options.time = DumpTime::utc;
  auto lines = lines_of(dump(file, options));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("time_utc\tcpu\t"));
  CHECK(lines[1].starts_with("2019-04-17T18:40:00.0010000Z\t0\t500\t"));
  options.time = DumpTime::local;
  lines = lines_of(dump(file, options));
  CHECK(lines[0].starts_with("time_local\tcpu\t"));
  CHECK(lines[1].starts_with("2019-04-17T19:40:00.0010000+01:00\t"));
  options.format = DumpFormat::json_lines;
  const auto json = nlohmann::json::parse(lines_of(dump(file, options)).front());
  CHECK(json["time_utc"] == "2019-04-17T18:40:00.0010000Z");
  CHECK(json["time_local"] == "2019-04-17T19:40:00.0010000+01:00");
}

TEST_CASE("dump: from a time, up to a time, and the last minutes") {
  const std::vector<std::uint8_t> bytes = timed_trace();
  const TraceFile file(bytes, "test");
  const auto shown = [&](const TimeTexts& texts, bool local = false) {
    DumpOptions options;
    options.filter.events = {"Tick"};
    set_times(texts, local, {&file}, options.filter);
    return lines_of(dump(file, options)).size() - 1;
  };
  CHECK(shown({}) == 3);
  CHECK(shown({"2019-04-17T18:40:01Z", "", ""}) == 2);
  CHECK(shown({"2019-04-17T18:40:01.0000001Z", "", ""}) == 1);
  CHECK(shown({"2019-04-17 19:40:01", "", ""}, true) == 2);
  CHECK(shown({"", "2019-04-17T18:40:01Z", ""}) == 2);
  CHECK(shown({"", "", "5m"}) == 1);
  CHECK(shown({"", "", "599s"}) == 2);
  CHECK(shown({"2019-04-17T18:41:00Z", "", "1h"}) == 1);
  CHECK_THROWS_AS(shown({"yesterday", "", ""}), tailgate::Error);
  CHECK_THROWS_AS(shown({"", "", "5"}), tailgate::Error);
}

TEST_CASE("dump: a filter that matches nothing says what is near") {
  const std::vector<std::uint8_t> bytes = timed_trace();
  const TraceFile file(bytes, "test");
  const std::vector<const TraceFile*> files = {&file};
  const auto why = [&](const EventFilter& filter) {
    Decoder decoder;
    decoder.learn(files);
    DumpOptions options;
    options.filter = filter;
    return dump_events(files, decoder, options, [](std::string_view) { return true; });
  };
  EventFilter filter;
  CHECK(why(filter).empty());
  filter.providers = {"my.provider"};
  CHECK(why(filter).empty());
  filter.providers = {"my.Providr"};
  CHECK_THAT(why(filter), Catch::Contains("no event is of provider 'my.Providr'; near: "
                                          "'My.Provider'"));
  filter.providers = {"provider"};
  CHECK_THAT(why(filter), Catch::Contains("near: 'My.Provider'"));
  filter = {};
  filter.events = {"Tack"};
  CHECK_THAT(why(filter), Catch::Contains("no event is of name or id 'Tack'; near: 'Tick'"));
  filter = {};
  filter.process_ids = {7};
  CHECK_THAT(why(filter),
             Catch::Contains("no event is of process 7; there are: ") && Catch::Contains("'500'"));
  filter = {};
  filter.from_ms = 1e9;
  CHECK_THAT(why(filter), Catch::Contains("they are from 0.000 to 600000.000 ms, "
                                          "2019-04-17T18:40:00.0000000Z to "
                                          "2019-04-17T18:50:00.0000000Z"));
  filter = {};
  filter.providers = {"Windows Kernel"};
  filter.events = {"Tick"};
  CHECK_THAT(why(filter), Catch::Contains("each criterion alone matches some"));
}

// Records of SystemConfig/IRQ: one that fits, one with bytes left over, one without its last
// fields, and one of a version that no layout has.
std::vector<std::uint8_t> misfitting_trace() {
  WriterOptions options;
  TraceWriter writer(options);
  const auto add = [&](std::uint8_t version, const ByteBuilder& payload) {
    KernelRecord record;
    record.hook_id = 0x0B15;
    record.version = version;
    record.time = options.start_raw + 1;
    record.payload = payload.bytes();
    writer.add(0, system_record(record));
  };
  const auto head = [] { return ByteBuilder().u64(1).u16(0).u16(0).u32(10); };
  add(3, head().u32(2).text16("A"));
  add(3, head().u32(2).text16("A").u8(0xAB));
  add(3, head());
  add(9, head().u32(2).text16("A"));
  return writer.file();
}

TEST_CASE("dump and stats mark what misfits its schema") {
  const std::vector<std::uint8_t> bytes = misfitting_trace();
  const TraceFile file(bytes, "test");
  DumpOptions options;
  options.filter.events = {"IRQ"};
  const auto lines = lines_of(dump(file, options));
  REQUIRE(lines.size() == 5);
  CHECK(lines[1].ends_with("\tDeviceDescription=A"));
  CHECK(lines[2].ends_with("\tDeviceDescription=A\tleft_over=0xab"));
  CHECK(lines[3].ends_with("\tIRQNum=10\tmissing=2"));
  CHECK(lines[4].ends_with("\tDeviceDescription=A\tlayout_version=3"));
  options.format = DumpFormat::json_lines;
  const auto json = lines_of(dump(file, options));
  CHECK(nlohmann::json::parse(json[1])["left_over"] == "0xab");
  CHECK(nlohmann::json::parse(json[2])["missing"] == 2);
  CHECK(nlohmann::json::parse(json[3])["layout_version"] == 3);
  Decoder decoder;
  const auto stats = nlohmann::json::parse(collect(
      [&](const TextSink& sink) { report_stats({&file}, decoder, TextFormat::json, sink); }));
  const auto& third = stats["events"][0];
  CHECK(third["event"] == "SystemConfig/IRQ");
  CHECK(third["misfits"] == 2);
  CHECK(third["left_over_bytes"] == 1);
  CHECK(third["missing_fields"] == 2);
  CHECK_FALSE(third.contains("layout_version"));
  const auto& sum = stats["sum"];
  CHECK(sum["misfits"] == 2);
  CHECK(sum["padding_bytes"] == 4);  // in the log file's header
  CHECK(sum["payload_bytes"].get<int>() == sum["used_bytes"].get<int>() + 4 + 1);
  const std::string text = collect(
      [&](const TextSink& sink) { report_stats({&file}, decoder, TextFormat::text, sink); });
  CHECK_THAT(text,
             Catch::Contains("3  Windows Kernel/SystemConfig/IRQ  (2 misfits, 1 bytes left "
                             "over, 2 fields missing)") &&
                 Catch::Contains("9  Windows Kernel/SystemConfig/IRQ  (layout of version 3)") &&
                 Catch::Contains(" used, 4 padding, 1 left over, 0 undecoded; fields "
                                 "missing: 2; misfits: 2"));
}
