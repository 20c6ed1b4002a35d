#include "harness/etl/schemas.h"

#include <catch2/catch.hpp>

#include "harness/etl/report.h"
#include "harness/etl/testing/trace_writer.h"

using namespace tailgate::etl;

namespace {

// The event's name and its fields as a dump shows them.
std::string shown(const EventRecord& record) {
  TraceWriter writer(WriterOptions{});
  EventRecord timed = record;
  timed.time = WriterOptions().start_raw + 10;
  writer.add(0, event_record(timed));
  writer.flush_all();
  const std::vector<std::uint8_t> bytes = writer.file();
  const TraceFile file(bytes, "test");
  Decoder decoder;
  add_bundled_schemas(decoder);
  DumpOptions options;
  options.columns = {EventPath::parse("provider"), EventPath::parse("event"),
                     EventPath::parse("fields"), EventPath::parse("misfit")};
  options.filter.providers = {to_text(record.provider)};
  std::string out;
  dump_events({&file}, decoder, options, [&out](std::string_view text) {
    out += text;
    return true;
  });
  return out.substr(out.find('\n') + 1);
}

}  // namespace

TEST_CASE("all bundled schemas can be used", "[etl]") {
  Decoder decoder;
  add_bundled_schemas(decoder);
  CHECK(decoder.counts().unusable == 0);
  CHECK(decoder.counts().manifest_events > 100);
}

// The layouts: .NET's documentation of its garbage collection events, and TRACE_EVENT_INFO of a
// real trace.
TEST_CASE("events of .NET and of Windows are decoded without a manifest", "[etl]") {
  EventRecord start;
  start.provider = *parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  start.id = 1;
  start.version = 2;
  start.payload = ByteBuilder().u32(5).u32(1).u32(0).u32(0).u16(9).u64(77).bytes();
  const std::string collection = shown(start);
  CHECK_THAT(collection, Catch::Contains("Microsoft-Windows-DotNETRuntime\tGCStart\t"));
  CHECK_THAT(collection, Catch::Contains(R"("Count":5)"));

  EventRecord create;
  create.provider = *parse_guid("edd08927-9cc4-4e65-b970-c2560fb5c289");
  create.id = 12;
  create.version = 1;
  ByteBuilder b;
  b.u64(1).u64(2).u32(8).u32(0).u32(0).u32(7).text16("a.txt");
  create.payload = b.bytes();
  const std::string opened = shown(create);
  CHECK_THAT(opened, Catch::Contains("Microsoft-Windows-Kernel-File\tCreate\t"));
  CHECK_THAT(opened, Catch::Contains(R"("FileName":"a.txt")"));
}
