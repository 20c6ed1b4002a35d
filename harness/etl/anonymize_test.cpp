#include "harness/etl/anonymize.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/base/error.h"
#include "harness/etl/made_up.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/kernel_trace.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

namespace {

std::vector<std::uint8_t> copy_of(const std::vector<std::uint8_t>& bytes,
                                  const AnonymizeOptions& options = {}) {
  const TraceFile file(bytes, "test");
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  const auto path = std::filesystem::temp_directory_path() / "tailgate_anonymize_test.etl";
  const AnonymizeCounts counts = anonymize(file, decoder, options, path, true);
  std::ifstream in(path, std::ios::binary);
  std::vector<std::uint8_t> copy{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(path);
  CHECK(counts.bytes == copy.size());
  return copy;
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
    CHECK_THAT(dump, Catch::Contains("payload=0x12fe12fe"));  // numbers without a schema stay
    const std::string before = dump_of(original);
    CHECK(std::count(dump.begin(), dump.end(), '\n') ==
          std::count(before.begin(), before.end(), '\n'));
  }
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
  const std::vector<std::uint8_t> copy = copy_of(damaged);
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
