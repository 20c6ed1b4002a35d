// Hostile inputs whose parts multiply: a small file must not take much memory. Each test doubles
// all parts of an input and counts bytes of memory: a product of two parts would take four times as
// many.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/error.h"
#include "harness/etl/activities.h"
#include "harness/etl/decoder.h"
#include "harness/etl/profile.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/to_sqlite.h"

namespace {

std::atomic<std::size_t> live_bytes = 0;
std::atomic<std::size_t> peak_live_bytes = 0;

// Each block begins with its size, in as many bytes as keep the block's alignment.
constexpr std::size_t kHeadBytes = alignof(std::max_align_t);

void* counted_new(std::size_t bytes) {
  void* block = std::malloc(kHeadBytes + bytes);
  if (block == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(block) = bytes;
  std::size_t live = live_bytes += bytes;
  std::size_t peak = peak_live_bytes;
  while (live > peak && !peak_live_bytes.compare_exchange_weak(peak, live)) {
  }
  return static_cast<char*>(block) + kHeadBytes;
}

void counted_delete(void* at) {
  if (at == nullptr) return;
  void* block = static_cast<char*>(at) - kHeadBytes;
  live_bytes -= *static_cast<std::size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted_new(bytes);
}
// Without this one, AddressSanitizer's would allocate what the operators below free.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted_new(bytes);
}
void operator delete(void* at) noexcept {
  counted_delete(at);
}
void operator delete(void* at, std::size_t) noexcept {
  counted_delete(at);
}

using namespace tailgate::etl;

namespace {

constexpr std::size_t kMegabyte = 1u << 20;

const Guid kProvider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
const Guid kMetadataClass = *parse_guid("bbccf6c1-6cd1-48c4-80ff-839482e37671");
constexpr std::uint8_t kOpcodeEventInfo = 32;
constexpr std::uint8_t kOpcodeMapInfo = 33;

// The most memory that `work` held at a time, in bytes.
std::size_t peak_of(const std::function<void()>& work) {
  std::size_t before = live_bytes;
  peak_live_bytes = before;
  work();
  return peak_live_bytes - before;
}

// Checks that an input of twice the parts takes hardly more than twice the memory. The parts are so
// many that their memory outweighs what every input takes.
void check_linear(std::size_t parts, const std::function<void(std::size_t parts)>& read) {
  std::size_t once = peak_of([&] { read(parts); });
  std::size_t twice = peak_of([&] { read(2 * parts); });
  CAPTURE(parts, once, twice);
  CHECK(twice < 3 * once);
}

std::string repeat(std::size_t times, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part(i);
  return text;
}

std::string manifest_of(std::string_view provider_name, std::string_view content,
                        std::string_view strings = {}) {
  return fmt::format(
      "<instrumentationManifest><instrumentation><events>"
      "<provider name=\"{}\" guid=\"{{6a399ae0-4bc6-4de9-870b-3657f8947e7e}}\">{}</provider>"
      "</events></instrumentation><localization><resources><stringTable>{}</stringTable>"
      "</resources></localization></instrumentationManifest>",
      provider_name, content, strings);
}

std::string events_of(std::size_t count, std::string_view attribute) {
  return "<events>" +
         repeat(
             count,
             [&](std::size_t i) { return fmt::format("<event value=\"{}\" {}/>", i, attribute); }) +
         "</events>";
}

void add_manifest(Decoder& decoder, const std::string& xml) {
  decoder.add_manifest({reinterpret_cast<const std::uint8_t*>(xml.data()), xml.size()});
}

// Records of one session; the writer's buffers are large enough for records of any length.
class Trace {
 public:
  void add(const std::vector<std::uint8_t>& record) { writer_.add(0, record); }

  void add_metadata(std::uint8_t opcode, const std::vector<std::uint8_t>& payload) {
    ClassicRecord record;
    record.event_class = kMetadataClass;
    record.opcode = opcode;
    record.payload = payload;
    add(full_record(record));
  }

  void add_tracelogging(const MetadataBuilder& metadata, std::string_view provider = {},
                        const std::vector<std::uint8_t>& payload = {}) {
    EventRecord record;
    record.provider = kProvider;
    record.payload = payload;
    if (!provider.empty()) {
      record.extended.emplace_back(std::uint16_t{0x0C}, provider_traits(provider));
    }
    record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
    add(event_record(record));
  }

  // The file of the records so far.
  const TraceFile& file() {
    bytes_ = writer_.file();
    file_ = std::make_unique<TraceFile>(bytes_, "hostile.etl");
    return *file_;
  }

 private:
  static WriterOptions options() {
    WriterOptions options;
    options.buffer_bytes = 256 * 1024;
    return options;
  }
  TraceWriter writer_{options()};
  std::vector<std::uint8_t> bytes_;
  std::unique_ptr<TraceFile> file_;
};

// What dump writes of a trace.
struct Dumped {
  std::size_t bytes = 0;
  std::string first_megabytes;
};

Dumped dump(const TraceFile& file, Decoder& decoder, DumpFormat format) {
  decoder.learn(std::vector{&file});
  DumpOptions options;
  options.format = format;
  Dumped dumped;
  dump_events({&file}, decoder, options, [&dumped](std::string_view text) {
    dumped.bytes += text.size();
    if (dumped.first_megabytes.size() < 20 * kMegabyte) dumped.first_megabytes += text;
    return true;
  });
  return dumped;
}

}  // namespace

TEST_CASE("a manifest's events share the fields of their template") {
  check_linear(200, [](std::size_t n) {
    Decoder decoder;
    add_manifest(
        decoder,
        manifest_of(
            "P",
            "<templates><template tid=\"t\">" +
                repeat(n, [](std::size_t) { return std::string("<data inType=\"win:Int8\"/>"); }) +
                "</template></templates>" + events_of(10 * n, "template=\"t\"")));
    CHECK(decoder.counts().manifest_events == 10 * n);
  });
}

TEST_CASE("a manifest's events share their provider's name and their message") {
  check_linear(500, [](std::size_t n) {
    Decoder decoder;
    add_manifest(decoder,
                 manifest_of(std::string(20 * n, 'p'), events_of(n, "message=\"$(string.s)\""),
                             "<string id=\"s\" value=\"" + std::string(20 * n, 's') + "\"/>"));
    CHECK(decoder.counts().manifest_events == n);
    CHECK(decoder.provider_name(kProvider).size() == 20 * n);
  });
}

TEST_CASE("a map's values share their string") {
  check_linear(500, [](std::size_t n) {
    Decoder decoder;
    add_manifest(decoder,
                 manifest_of("P",
                             "<maps><valueMap name=\"m\">" +
                                 repeat(n,
                                        [](std::size_t i) {
                                          return fmt::format(
                                              "<map value=\"{}\" "
                                              "message=\"$(string.s)"
                                              "\"/>",
                                              i);
                                        }) +
                                 "</valueMap></maps>",
                             "<string id=\"s\" value=\"" + std::string(20 * n, 's') + "\"/>"));
  });
}

TEST_CASE("event infos whose texts overlap are unusable") {
  check_linear(300, [](std::size_t n) {
    constexpr std::size_t kPropertiesAt = 0x70;
    std::size_t text_at = kPropertiesAt + 24 * n;
    ByteBuilder info;
    info.guid(kProvider).zeros(16).u16(7).u8(0).u8(0).u8(4).u8(0).u16(0).u64(0);
    info.zeros(13 * 4).u32(n).u32(n).u32(0);
    REQUIRE(info.bytes().size() == kPropertiesAt);
    for (std::size_t i = 0; i < n; ++i) {
      info.u32(0).u32(text_at).u16(8).u16(0).u32(text_at).u16(1).u16(4).u32(0);
    }
    Trace trace;
    trace.add_metadata(kOpcodeEventInfo, info.text16(std::string(20 * n, 't')).bytes());
    Decoder decoder;
    decoder.learn(std::vector{&trace.file()});
    CHECK(decoder.counts().unusable == 1);
  });
}

TEST_CASE("maps in a trace whose texts overlap are unusable") {
  check_linear(600, [](std::size_t n) {
    std::size_t text_at = 16 + 8 * n;
    ByteBuilder map;
    map.guid(kProvider).u32(text_at).u32(1).u32(n).u32(0);
    for (std::size_t i = 0; i < n; ++i) map.u32(text_at + 4).u32(i);
    Trace trace;
    trace.add_metadata(kOpcodeMapInfo, map.text16("m").text16(std::string(20 * n, 't')).bytes());
    Decoder decoder;
    decoder.learn(std::vector{&trace.file()});
    CHECK(decoder.counts().unusable == 1);
  });
}

// A description as large as a record may be, whose properties share one long name as often as is
// accepted. Such records differ in a few bytes, so a compressed trace of them is small.
std::vector<std::uint8_t> large_event_info(unsigned id) {
  constexpr std::size_t kProperties = 7;
  ByteBuilder info;
  info.guid(kProvider).zeros(16).u16(id).u8(0).u8(0).u8(4).u8(0).u16(0).u64(0);
  info.zeros(13 * 4).u32(kProperties).u32(kProperties).u32(0);
  for (std::size_t i = 0; i < kProperties; ++i) {
    info.u32(0).u32(0x70 + 24 * kProperties).u16(8).u16(0).u32(0).u16(1).u16(4).u32(0);
  }
  return info.text16(std::string(29'000, 't')).bytes();
}

std::vector<std::uint8_t> large_map(std::size_t number) {
  constexpr std::size_t kEntries = 7;
  std::string name = fmt::format("map {}", number);
  std::size_t name_at = 16 + 8 * kEntries;
  ByteBuilder map;
  map.guid(kProvider).u32(name_at).u32(1).u32(kEntries).u32(0);
  for (std::size_t i = 0; i < kEntries; ++i) map.u32(name_at + 2 * name.size() + 2).u32(i);
  return map.text16(name).text16(std::string(29'000, 't')).bytes();
}

TEST_CASE("the event infos and maps of a trace take 128 MB at most, and the rest is counted",
          "[long]") {
  const bool maps = GENERATE(false, true);
  const std::size_t descriptions = GENERATE(800u, 1'600u);
  const auto learn = [&](Decoder& decoder, std::size_t number) {
    Trace trace;
    trace.add_metadata(maps ? kOpcodeMapInfo : kOpcodeEventInfo,
                       maps ? large_map(number) : large_event_info(static_cast<unsigned>(number)));
    decoder.learn(std::vector{&trace.file()});
  };
  Decoder decoder;
  const std::size_t peak = peak_of([&] {
    for (std::size_t i = 0; i < descriptions; ++i) learn(decoder, i);
  });
  const SchemaCounts& counts = decoder.counts();
  CHECK((maps ? counts.maps : counts.event_infos) == descriptions);
  CHECK(counts.unusable == 0);
  CHECK(peak < 136 * kMegabyte);
  const std::size_t kept = descriptions - counts.dropped_over_limit;
  CHECK(kept > 600);
  CHECK(kept < 700);
  // One that replaces its predecessor takes no more.
  Decoder again;
  for (std::size_t i = 0; i < 800; ++i) learn(again, 1);
  CHECK(again.counts().dropped_over_limit == 0);
}

TEST_CASE("the manifests of a trace take 128 MB at most, and the rest is counted", "[long]") {
  Decoder decoder;
  for (std::size_t i = 0; i < 20; ++i) {
    std::string xml =
        manifest_of("p", events_of(100, "message=\"" + std::string(20'000, 'm') + '"'));
    xml.replace(xml.find("7e7e}"), 4, fmt::format("{:04x}", i));
    add_manifest(decoder, xml);
  }
  CHECK(decoder.counts().manifest_events == 2'000);
  CHECK(decoder.counts().dropped_over_limit > 200);
  CHECK(decoder.counts().dropped_over_limit < 600);
}

TEST_CASE("the messages of a TMF file share their provider's name") {
  check_linear(500, [](std::size_t n) {
    Decoder decoder;
    decoder.add_tmf(
        "6a399ae0-4bc6-4de9-870b-3657f8947e7e " + std::string(20 * n, 'p') + "\n" +
            repeat(n, [](std::size_t i) { return fmt::format("#typev name {} \"text\"\n", i); }),
        "hostile.tmf");
    CHECK(decoder.counts().tmf_messages == n);
  });
}

TEST_CASE("TraceLogging events share their provider's name, in stats, too") {
  TextFormat format = GENERATE(TextFormat::text, TextFormat::json);
  check_linear(1500, [format](std::size_t n) {
    Trace trace;
    // Only the first record gives the name.
    trace.add_tracelogging(MetadataBuilder("first"), std::string(20 * n, 'p'));
    for (std::size_t i = 0; i < n; ++i) {
      trace.add_tracelogging(MetadataBuilder(fmt::format("e{}", i)));
    }
    const TraceFile& file = trace.file();
    Decoder decoder;
    std::size_t names = 0;
    report_stats({&file}, decoder, format, [&names](std::string_view text) {
      for (auto at = text.find("ppp"); at != text.npos; at = text.find("ppp", at)) {
        at = text.find_first_not_of('p', at);
        ++names;
      }
      return true;
    });
    CHECK(names == n + 1);
  });
}

TEST_CASE("at most 32 MB of TraceLogging schemas are kept") {
  Trace trace;
  for (int i = 0; i < 40; ++i) {
    MetadataBuilder metadata(fmt::format("e{}", i));
    for (int field = 0; field < 30'000; ++field) metadata.field("", 4);
    trace.add_tracelogging(metadata);
  }
  const TraceFile& file = trace.file();
  Decoder decoder;
  std::size_t peak = peak_of([&] { dump(file, decoder, DumpFormat::tsv); });
  CHECK(decoder.counts().dropped_over_limit > 0);
  CHECK(peak < 48 * kMegabyte);
}

TEST_CASE("a WPP message that repeats a long value ends after 1 MB") {
  constexpr std::size_t kRepeats = 1000;
  constexpr std::size_t kValueBytes = 60'000;
  Decoder decoder;
  decoder.add_tmf("6a399ae0-4bc6-4de9-870b-3657f8947e7e p\n#typev name 1 \"" +
                      repeat(kRepeats, [](std::size_t) { return std::string("%10!s!"); }) +
                      "\"\n{\nvalue, ItemString -- 10\n}\n",
                  "hostile.tmf");
  MessageRecord record;
  record.guid = kProvider;
  record.number = 1;
  record.arguments = ByteBuilder().text8(std::string(kValueBytes, 'v')).bytes();
  Trace trace;
  trace.add(message_record(record));
  Dumped dumped = dump(trace.file(), decoder, DumpFormat::tsv);
  CHECK(dumped.bytes > kMegabyte);
  CHECK(dumped.bytes < kMegabyte + 4 * kValueBytes);
  CHECK(dumped.first_megabytes.find("\tdamaged=true\n") != std::string::npos);
}

TEST_CASE("a bit's many names end after 1 MB") {
  constexpr std::size_t kNames = 300;
  constexpr std::size_t kNameBytes = 10'000;
  Decoder decoder;
  add_manifest(
      decoder,
      manifest_of("P",
                  "<maps><bitMap name=\"m\">" +
                      repeat(kNames,
                             [](std::size_t) {
                               return std::string("<map value=\"1\" message=\"$(string.s)\"/>");
                             }) +
                      "</bitMap></maps><templates><template tid=\"t\">"
                      "<data name=\"v\" inType=\"win:UInt8\" map=\"m\"/>"
                      "</template></templates>" +
                      events_of(1, "template=\"t\""),
                  "<string id=\"s\" value=\"" + std::string(kNameBytes, 's') + "\"/>"));
  EventRecord record;
  record.provider = kProvider;
  record.payload = {5};
  Trace trace;
  trace.add(event_record(record));
  Dumped dumped = dump(trace.file(), decoder, DumpFormat::tsv);
  CHECK(dumped.bytes > kMegabyte);
  CHECK(dumped.bytes < kMegabyte + 4 * kNameBytes);
  CHECK(dumped.first_megabytes.find("|0x4\n") != std::string::npos);
}

TEST_CASE("an event's fields end after 16 MB of text, in TSV and in JSON") {
  // An array of structures whose one member has a long name and no bytes in the payload.
  constexpr std::size_t kNameBytes = 10'000;
  MetadataBuilder metadata("repeats");
  metadata.field("array", 0x38, 1).fixed_count(60'000).field(std::string(kNameBytes, 'n'), 0);
  Trace trace;
  trace.add_tracelogging(metadata, {}, {1});
  const TraceFile& file = trace.file();
  DumpFormat format = GENERATE(DumpFormat::tsv, DumpFormat::json_lines);
  Decoder decoder;
  Dumped dumped = dump(file, decoder, format);
  CHECK(dumped.bytes > 16 * kMegabyte);
  CHECK(dumped.bytes < 16 * kMegabyte + 4 * kNameBytes);
  if (format == DumpFormat::json_lines) {
    std::istringstream lines(dumped.first_megabytes);
    std::string line;
    while (std::getline(lines, line)) {
      nlohmann::json json = nlohmann::json::parse(line);
      if (json["event"] == "repeats") CHECK(json["damaged"] == true);
    }
  } else {
    CHECK(dumped.first_megabytes.find("}]\tleft_over=0x01\tdamaged=true\n") != std::string::npos);
  }
}

TEST_CASE("a profile takes 64 MB at most, and the rest is counted") {
  constexpr std::size_t kStacks = 10'000;
  constexpr std::size_t kFrames = 400;  // each other ones, in all more than there is room for
  Trace trace;
  std::uint64_t address = 0x10000;
  for (std::size_t i = 1; i <= kStacks; ++i) {
    KernelRecord record;
    record.time = static_cast<std::int64_t>(1'000'000'000 + i);
    record.hook_id = 0x0F2E;
    record.payload = ByteBuilder().u64(address).u32(8).u16(1).u16(0).bytes();
    trace.add(perf_info_record(record));
    record.hook_id = 0x1820;
    ByteBuilder stack;
    stack.u64(static_cast<std::uint64_t>(record.time)).u32(500).u32(8);
    for (std::size_t frame = 0; frame < kFrames; ++frame) stack.u64(address += 16);
    record.payload = stack.bytes();
    trace.add(perf_info_record(record));
  }
  const TraceFile& file = trace.file();
  ProfileFormat format = GENERATE(ProfileFormat::json, ProfileFormat::speedscope);
  std::string head;
  std::size_t peak = peak_of([&] {
    report_profile({&file}, {format}, [&head](std::string_view text) {
      if (head.size() < kMegabyte) head += text;
      return true;
    });
  });
  CHECK(peak < 64 * kMegabyte);
  CHECK_THAT(head.substr(0, kMegabyte), Catch::Contains("(stacks that have no room)"));
}

TEST_CASE("a database of more events takes no more memory, by one thread and by four", "[long]") {
  const unsigned threads = GENERATE(1u, 4u);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("etl_memory_{}.sqlite", threads);
  const auto peak_for = [&](std::size_t events) {
    Trace trace;
    MetadataBuilder metadata("Event");
    metadata.field("Text", 2);
    const auto text = ByteBuilder().text8(std::string(300, 'x')).bytes();
    for (std::size_t i = 0; i < events; ++i) trace.add_tracelogging(metadata, "Provider", text);
    const TraceFile& file = trace.file();
    return peak_of([&] {
      Decoder decoder;
      write_sqlite({&file}, decoder, {{}, true, threads}, path);
    });
  };
  try {
    const std::size_t once = peak_for(20'000);
    const std::size_t four_times = peak_for(80'000);
    CAPTURE(threads, once, four_times);
    // SQLite's own memory has a limit of 2 MB and is not counted here.
    CHECK(four_times < once + kMegabyte);
    CHECK(four_times < 32 * kMegabyte);
  } catch (const tailgate::Error& error) {
    WARN(error.what());  // a build without SQLite
  }
  std::filesystem::remove(path);
}

TEST_CASE("activities take 64 MB at most, and the rest is counted", "[long]") {
  Trace trace;
  EventRecord record;
  record.provider = kProvider;
  record.opcode = 1;
  for (std::uint32_t i = 1; i < Activities::kMaxActivities + 1000; ++i) {
    const Guid before = record.activity;
    std::memcpy(record.activity.bytes.data(), &i, sizeof i);
    record.extended = {{std::uint16_t{0x01}, ByteBuilder().guid(before).bytes()}};
    trace.add(event_record(record));
  }
  const TraceFile& file = trace.file();
  TextFormat format = GENERATE(TextFormat::text, TextFormat::json);
  std::string head;
  std::size_t peak = peak_of([&] {
    Decoder decoder;
    report_activities({&file}, decoder, {}, format, 10, [&head](std::string_view text) {
      if (head.size() < kMegabyte) head += text;
      return true;
    });
  });
  CHECK(peak < 64 * kMegabyte);
  CHECK_THAT(head.substr(0, 1000),
             Catch::Contains(format == TextFormat::text ? "note: 999 events are of more activities"
                                                        : "\"events_over_limit\":999"));
}
