#include "harness/etl/anonymize.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/error.h"
#include "harness/base/testing/test_directory.h"
#include "harness/etl/event_log.h"
#include "harness/etl/made_up.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/kernel_trace.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

namespace {

std::vector<std::uint8_t> copy_of(const TraceFile& file, const AnonymizeOptions& options = {},
                                  std::uint64_t* cut_bytes = nullptr) {
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  const tailgate::TestDirectory directory;
  const auto path = directory.path() / "copy.etl";
  const AnonymizeCounts counts = anonymize(file, decoder, options, path, true);
  if (cut_bytes != nullptr) *cut_bytes = counts.cut_bytes;
  std::vector<std::uint8_t> copy;
  {
    std::ifstream in(path, std::ios::binary);  // Windows removes no open file
    copy.assign(std::istreambuf_iterator<char>(in), {});
  }
  CHECK(counts.bytes == copy.size());
  return copy;
}

std::vector<std::uint8_t> copy_of(const std::vector<std::uint8_t>& bytes,
                                  const AnonymizeOptions& options = {}) {
  return copy_of(TraceFile(bytes, "test"), options);
}

std::string dump_of(const std::vector<std::uint8_t>& bytes) {
  const TraceFile file(bytes, "test");
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  std::string out;
  dump_events({&file}, decoder, {}, [&out](std::string_view text) {
    out += text;
    return true;
  });
  return out;
}

// Whether the bytes contain the text, in 8 or 16 bits a character.
bool contains(const std::vector<std::uint8_t>& bytes, std::string_view text) {
  std::string wide;
  for (char c : text) wide += {c, '\0'};
  const std::string all(bytes.begin(), bytes.end());
  return all.find(text) != std::string::npos || all.find(wide) != std::string::npos;
}

constexpr unsigned kU32 = 8;
constexpr unsigned kUtf16 = 1;
constexpr unsigned kBinary = 14;
constexpr unsigned kSid = 19;

// A TraceLogging event with a text, a number, bytes and a SID.
std::vector<std::uint8_t> secret_event(std::int64_t time) {
  EventRecord record;
  record.provider.bytes[0] = 7;
  record.time = time;
  record.process = 500;
  record.thread = 8;
  record.extended = {{0x0B, MetadataBuilder("Login")
                                .field("User", kUtf16)
                                .field("Size", kU32)
                                .field("Token", kBinary)
                                .field("Sid", kSid)
                                .bytes()},
                     {0x0C, provider_traits("Maker")}};
  ByteBuilder b;
  b.text16("Alice-77")
      .u32(123456)
      .u16(6)
      .raw(Bytes(reinterpret_cast<const std::uint8_t*>("SECRET"), 6));
  b.u8(1).u8(3).zeros(5).u8(5).u32(21).u32(0x41414141).u32(0x42424242);
  record.payload = b.bytes();
  return event_record(record);
}

// An event that nothing describes, with text and a number.
std::vector<std::uint8_t> unknown_event(std::int64_t time) {
  EventRecord record;
  record.provider.bytes[0] = 8;
  record.id = 5;
  record.time = time;
  record.payload = ByteBuilder().u32(0xFE12FE12).text16("Password").text8("hunter22").bytes();
  return event_record(record);
}

}  // namespace

TEST_CASE("a copy has the same events and numbers, and none of the texts", "[etl]") {
  for (CompressionFormat compression : {CompressionFormat::none, CompressionFormat::xpress}) {
    WriterOptions options;
    options.session_name = "Private Session";
    options.compression = compression;
    if (compression != CompressionFormat::none) options.mode |= kModeCompressed;
    KernelTrace trace(options);
    trace.process(0, 0x0303, 500, "Bob9.exe");
    trace.writer().add(0, secret_event(trace.raw(10)));
    trace.writer().add(1, unknown_event(trace.raw(20)));
    const std::vector<std::uint8_t> original = trace.file();
    const std::vector<std::uint8_t> copy = copy_of(original);
    for (const char* secret :
         {"Alice", "SECRET", "Bob9", "Password", "hunter22", "Private", "AAAA", "BBBB"}) {
      INFO(secret);
      CHECK_FALSE(contains(copy, secret));
    }
    const std::string dump = dump_of(copy);
    CHECK_THAT(dump, Catch::Contains("User=xxxxx-00\tSize=123456\tToken=000000000000\t"
                                     "Sid=S-1-5-21-0-0"));
    CHECK_THAT(dump, Catch::Contains("ImageFileName=xxx0.xxx"));
    CHECK_FALSE(contains(copy, "\x12\xFE\x12\xFE"));
    const std::string before = dump_of(original);
    CHECK(std::count(dump.begin(), dump.end(), '\n') ==
          std::count(before.begin(), before.end(), '\n'));
  }
}

TEST_CASE("an event with a manifest's id is not copied as one", "[etl]") {
  for (unsigned part : {0u, 1u, 2u, 3u}) {
    EventRecord record;
    record.provider.bytes[0] = 9;
    record.id = 0xFFFE;
    record.opcode = part == 1 ? 0 : 0xFE;
    record.task = part == 2 ? 0 : 0xFFFE;
    ByteBuilder b;
    // The last one lacks what an EventSource's chunk begins with.
    if (part != 3) b.u8(1).u8(0).u8(0).u8(0x5B).u16(1).u16(0);
    record.payload = b.text8("alice").bytes();
    KernelTrace trace;
    record.time = trace.raw(10);
    trace.writer().add(0, event_record(record));
    INFO(part);
    CHECK(contains(copy_of(trace.file()), "alice") == (part == 0));
  }
}

TEST_CASE("an event log's event with a manifest's numbers is not copied as one", "[etl]") {
  const tailgate::TestDirectory folder;
  const auto path = folder.path() / "log.xml";
  std::ofstream(path, std::ios::binary)
      << "<Event><System><Provider Name='Maker'/><EventID>65534</EventID><Version>0</Version>"
         "<Level>4</Level><Task>65534</Task><Opcode>254</Opcode><Keywords>0x0</Keywords>"
         "<TimeCreated SystemTime='2020-07-29T00:06:22.4012345Z'/><Computer>pc-alice</Computer>"
         "</System><EventData><Data Name=\"v\">C:\\Users\\alice secret</Data></EventData></Event>";
  const EventLogTrace log(path, nullptr);
  const std::vector<std::uint8_t> copy = copy_of(log.file());
  CHECK_FALSE(contains(copy, "alice"));
  CHECK_FALSE(contains(copy, "secret"));
  CHECK_THAT(dump_of(copy), Catch::Contains("xxxxx xxxxxx"));
}

TEST_CASE("what no schema describes is zeros in the copy", "[etl]") {
  constexpr std::string_view kWide("\x18\x04\x32\x04\x30\x04", 6);  // three letters of Cyrillic
  EventRecord record;
  record.provider.bytes[0] = 8;
  record.id = 5;
  ByteBuilder b;
  b.u32(0xFE12FE12).text8("Bob").text8("J\xC3\xBCrg").text8(kWide);
  record.payload = b.bytes();
  record.extended = {{0x20, ByteBuilder().text8("Eve").bytes()},
                     {0x03, ByteBuilder().u32(77).text8("Eve").bytes()}};
  KernelTrace trace;
  record.time = trace.raw(10);
  trace.writer().add(0, event_record(record));
  // Behind the fields of a kernel's event, and beside a damaged chain of items.
  trace.add(20, 0x0302,
            ByteBuilder().u64(1).u32(500).u32(4).u32(0).u32(0).u32(0).text8("a.exe").text16("").raw(
                Bytes(reinterpret_cast<const std::uint8_t*>("Bob"), 3)));
  std::vector<std::uint8_t> damaged = event_record(record);
  damaged[0x50] = 0xFF;
  damaged[0x51] = 0xFF;
  trace.writer().add(0, damaged);
  const std::vector<std::uint8_t> original = trace.file();
  const std::vector<std::uint8_t> copy = copy_of(original);
  for (std::string_view secret :
       {std::string_view("Bob"), std::string_view("J\xC3\xBCrg"), kWide, std::string_view("Eve")}) {
    INFO(secret);
    CHECK(contains(original, secret));
    CHECK_FALSE(contains(copy, secret));
  }
  CHECK_THAT(dump_of(copy), Catch::Contains("ImageFileName=x.xxx"));
}

TEST_CASE("a copy keeps the counts of arrays and of text", "[etl]") {
  constexpr unsigned kArray = 0x40;  // of a length in front of it
  EventRecord record;
  record.provider.bytes[0] = 7;
  record.extended = {{0x0B, MetadataBuilder("Lists")
                                .field("Numbers", kU32 | kArray)
                                .field("Names", kUtf16 | kArray)
                                .field("Last", kU32)
                                .bytes()}};
  record.payload =
      ByteBuilder().u16(2).u32(11).u32(12).u16(2).text16("").text16("Ann").u32(13).bytes();
  KernelTrace trace;
  record.time = trace.raw(10);
  trace.writer().add(0, event_record(record));
  CHECK_THAT(dump_of(copy_of(trace.file())),
             Catch::Contains("Numbers=[11,12]\tNames=[,xxx]\tLast=13"));
}

TEST_CASE("a copy of a trace with an impossible buffer size can be read", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "app.exe");
  std::vector<std::uint8_t> original = trace.file();
  constexpr std::size_t kBufferSizeAt = 0x48 + 0x20;
  std::fill_n(original.begin() + kBufferSizeAt, 4, std::uint8_t{0xFF});
  REQUIRE(TraceFile(original, "test").header().buffer_bytes == 0xFFFFFFFF);
  const std::vector<std::uint8_t> copy = copy_of(original);
  CHECK(copy.size() == 2 * std::size_t{kMaxBufferBytes});
  CHECK_THAT(dump_of(copy), Catch::Contains("ImageFileName=xxx.xxx"));
}

TEST_CASE("a copy is cut by time and by size, but keeps its header", "[etl]") {
  KernelTrace trace;
  for (std::int64_t i = 0; i < 10; ++i) {
    trace.process(i * 1000, 0x0303, 500, "app.exe");
    trace.writer().flush(0);
  }
  const std::vector<std::uint8_t> original = trace.file();
  const TraceFile file(original, "test");
  REQUIRE(file.buffers().size() == 11);
  AnonymizeOptions by_time;
  by_time.from_ms = 2.5;
  by_time.to_ms = 5;
  const std::vector<std::uint8_t> middle = copy_of(original, by_time);
  CHECK(TraceFile(middle, "middle").buffers().size() == 4);  // the header, and 3 to 5 ms
  AnonymizeOptions by_size;
  by_size.max_bytes = 4096 * 3;
  const std::vector<std::uint8_t> small = copy_of(original, by_size);
  CHECK(small.size() == 4096 * 3);
}

TEST_CASE("what follows damage is not in the copy", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "app.exe");
  trace.process(1, 0x0303, 500, "Victim.exe");
  std::vector<std::uint8_t> original = trace.file();
  const std::string all(original.begin(), original.end());
  const std::size_t second = all.find("Victim.exe");
  REQUIRE(second != std::string::npos);
  // The size of the second record: its header of 16 bytes, and 28 bytes, precede the name.
  const std::size_t size_at = second - 28 - 16 + 4;
  std::vector<std::uint8_t> damaged = original;
  damaged[size_at] = 0xFF;
  damaged[size_at + 1] = 0xFF;
  std::uint64_t cut_bytes = 0;
  const std::vector<std::uint8_t> copy = copy_of(TraceFile(damaged, "test"), {}, &cut_bytes);
  CHECK(cut_bytes >= 16 + 28 + sizeof "Victim.exe");
  CHECK_FALSE(contains(copy, "Victim"));
  CHECK_FALSE(contains(copy, "xxxxxx.xxx"));
  CHECK_THAT(dump_of(copy), Catch::Contains("ImageFileName=xxx.xxx"));
}

TEST_CASE("info tells the kinds that only made-up data tests", "[etl]") {
  KernelTrace trace;
  trace.writer().add(0, context_switch_record(trace.raw(10), 8, 0));
  trace.writer().add(0, context_switch_record(trace.raw(20), 0, 8));
  trace.add(30, 0x0F44, ByteBuilder().u64(1).u64(2));
  trace.process(40, 0x0303, 500, "app.exe");
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  MadeUpKinds kinds;
  kinds.add(file);
  TraceReader reader({&file}, ReadOrder::file);
  while (const Record* record = reader.next()) kinds.add(*record, decode_header(*record));
  CHECK(kinds.counts() ==
        std::map<std::string, std::uint64_t>{{"context switches", 2}, {"DPCs", 1}});
}
