#include "harness/etl/event_threads.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/etl/schemas.h"
#include "harness/etl/testing/kernel_trace.h"
#include "harness/etl/where.h"

using namespace tailgate::etl;

namespace {

struct Shown {
  std::string text;
  std::string notes;
  bool operator==(const Shown&) const = default;
};

Shown shown(const std::vector<std::uint8_t>& bytes, DumpOptions options, unsigned threads) {
  const TraceFile file(bytes, "test");
  const TraceFile* const files[] = {&file};
  Decoder decoder;
  add_bundled_schemas(decoder);
  decoder.learn(files);
  options.threads = threads;
  Shown shown;
  shown.notes = dump_events({&file}, decoder, options, [&shown](std::string_view text) {
    shown.text += text;
    return true;
  });
  return shown;
}

// One thread's output is the truth; true when it is also that of two, three and eight.
bool same_with_threads(const std::vector<std::uint8_t>& bytes, const DumpOptions& options) {
  const Shown alone = shown(bytes, options, 1);
  return shown(bytes, options, 2) == alone && shown(bytes, options, 3) == alone &&
         shown(bytes, options, 8) == alone;
}

EventRecord tracelogging(std::int64_t time, bool with_traits, std::size_t text_bytes) {
  EventRecord record;
  record.provider.bytes[0] = 7;
  record.time = time;
  record.payload = ByteBuilder().text8(std::string(text_bytes, 'x')).bytes();
  MetadataBuilder metadata("Tick");
  metadata.field("Text", 2);
  record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
  if (with_traits) record.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("Late.Name"));
  return record;
}

// Many blocks of records, whose text depends on the records before them: who ran on the processor,
// and what a provider is called, which only a record in the middle says.
std::vector<std::uint8_t> long_trace(CompressionFormat compression) {
  WriterOptions options;
  options.compression = compression;
  options.mode =
      compression == CompressionFormat::none ? kModeSequential : kModeSequential | kModeCompressed;
  TraceWriter writer(options);
  constexpr int kEvents = 6000;
  for (int i = 0; i < kEvents; ++i) {
    const std::int64_t time = options.start_raw + 100 * i;
    const auto processor = static_cast<std::uint16_t>(i % 2);
    const auto thread = static_cast<std::uint32_t>(i % 97);
    writer.add(processor, context_switch_record(time, thread + 4, thread + 2));
    KernelRecord fault;
    fault.hook_id = 0x020A;
    fault.time = time + 1;
    fault.payload = ByteBuilder().u64(0x1000).u64(0x2000).bytes();
    writer.add(processor, perf_info_record(fault));
    const std::size_t text_bytes = i % 500 == 0 ? 3000 : 5;
    writer.add(processor, event_record(tracelogging(time + 2, i == kEvents / 2, text_bytes)));
  }
  writer.flush_all();
  return writer.file();
}

}  // namespace

TEST_CASE("a dump is the same by any number of threads", "[etl]") {
  const auto compression = GENERATE(CompressionFormat::none, CompressionFormat::xpress);
  const std::vector<std::uint8_t> bytes = long_trace(compression);
  DumpOptions options;
  CHECK(shown(bytes, options, 1).text.find("Late.Name") != std::string::npos);
  CHECK(same_with_threads(bytes, options));
  options.time = DumpTime::local;
  options.format = DumpFormat::json_lines;
  CHECK(same_with_threads(bytes, options));
  options.format = DumpFormat::csv;
  CHECK(same_with_threads(bytes, options));
  options.columns = {EventPath::parse("tid"), EventPath::parse("Text"),
                     EventPath::parse("Nothing")};
  CHECK_FALSE(shown(bytes, options, 2).notes.empty());
  CHECK(same_with_threads(bytes, options));
}

TEST_CASE("a filtered dump is the same by any number of threads", "[etl]") {
  const std::vector<std::uint8_t> bytes = long_trace(CompressionFormat::none);
  DumpOptions options;
  options.filter.where =
      std::make_shared<const Where>("NewThreadId == 40 or Text contains 'xxxxxx'");
  CHECK(same_with_threads(bytes, options));
  options.filter.from_ms = 10;
  options.filter.to_ms = 20;
  CHECK(same_with_threads(bytes, options));
  options.filter.to_ms = 5;
  CHECK(shown(bytes, options, 2).notes.find("no event is in that time") != std::string::npos);
  CHECK(same_with_threads(bytes, options));
  options.filter = {};
  options.filter.providers = {"Late.Nam"};
  CHECK(shown(bytes, options, 2).notes.find("near: 'Late.Name'") != std::string::npos);
  CHECK(same_with_threads(bytes, options));
}

TEST_CASE("a dump of a damaged trace is the same by any number of threads", "[etl]") {
  std::vector<std::uint8_t> bytes = long_trace(CompressionFormat::none);
  for (std::size_t at = 9001; at < bytes.size(); at += 7919) bytes[at] ^= 0x5A;
  bytes.resize(bytes.size() - 1234);
  CHECK(same_with_threads(bytes, {}));
}

TEST_CASE("a dump by threads ends when its reader closes or fails", "[etl]") {
  const std::vector<std::uint8_t> bytes = long_trace(CompressionFormat::none);
  const TraceFile file(bytes, "test");
  Decoder decoder;
  DumpOptions options;
  options.threads = 3;
  int calls = 0;
  CHECK(dump_events({&file}, decoder, options, [&calls](std::string_view) {
          return ++calls < 2;
        }).empty());
  CHECK(calls == 2);
  CHECK_THROWS_AS(dump_events({&file}, decoder, options,
                              [](std::string_view) -> bool { throw std::runtime_error("full"); }),
                  std::runtime_error);
}
