#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/etl/testing/decode_record.h"

using namespace tailgate::etl;

namespace {

const Guid kProvider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");

Decoded decode_tracelogging(const MetadataBuilder& metadata,
                            const std::vector<std::uint8_t>& payload, unsigned pointer_bytes = 8) {
  EventRecord record;
  record.provider = kProvider;
  record.payload = payload;
  record.pointer_bytes = pointer_bytes;
  record.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("Test.Provider"));
  record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
  Decoder decoder;
  return decode(decoder, event_record(record));
}

}  // namespace

TEST_CASE("TraceLogging: every scalar type") {
  MetadataBuilder metadata("Scalars");
  metadata.field("none", 0).field("wide", 1).field("narrow", 2);
  metadata.field("i8", 3).field("u8", 4).field("i16", 5).field("u16", 6).field("i32", 7);
  metadata.field("u32", 8).field("i64", 9).field("u64", 0xA).field("f32", 0xB).field("f64", 0xC);
  metadata.field("bool32", 0xD).field("binary", 0xE).field("guid", 0xF).field("pointer", 0x10);
  metadata.field("filetime", 0x11).field("systemtime", 0x12).field("sid", 0x13);
  metadata.field("hex32", 0x14).field("hex64", 0x15).field("counted_wide", 0x16);
  metadata.field("counted_narrow", 0x17).field("counted_binary", 0x19);
  unsigned pointer_bytes = GENERATE(4u, 8u);
  ByteBuilder b;
  b.text16("wide text").text8("narrow\xC3\xA9\xFF");
  b.u8(0xFF).u8(0xFF).u16(0x8000).u16(0x8000).u32(0x80000000).u32(0x80000000);
  b.u64(1ull << 63).u64(1ull << 63).u32(0x3FC00000).u64(0xC004000000000000);
  b.u32(2).u16(2).u8(0xAB).u8(0xCD).guid(kProvider).pointer(0x1234, pointer_bytes);
  b.u64(116'444'736'000'000'001);
  for (unsigned part : {2021u, 9u, 4u, 9u, 14u, 59u, 35u, 799u}) b.u16(part);
  b.u8(1).u8(2).zeros(5).u8(5).u32(32).u32(544);  // S-1-5-32-544
  b.u32(0xCAFE).u64(0xF00D).u16(4).u16('h').u16('i').u16(2).u8('o').u8('k');
  b.u16(1).u8(0x7F);
  Decoded decoded = decode_tracelogging(metadata, b.bytes(), pointer_bytes);
  CHECK(decoded.name == "Scalars");
  CHECK(decoded.provider == "Test.Provider");
  CHECK(decoded.complete);
  CHECK(decoded.undecoded_bytes == 0);
  CHECK(decoded.fields == nlohmann::json{{"none", ""},
                                         {"wide", "wide text"},
                                         {"narrow", "narrow\xC3\xA9\xC3\xBF"},
                                         {"i8", -1},
                                         {"u8", 255},
                                         {"i16", -32768},
                                         {"u16", 32768},
                                         {"i32", -2147483648LL},
                                         {"u32", 2147483648u},
                                         {"i64", std::numeric_limits<std::int64_t>::min()},
                                         {"u64", 1ull << 63},
                                         {"f32", 1.5},
                                         {"f64", -2.5},
                                         {"bool32", true},
                                         {"binary", "abcd"},
                                         {"guid", "6a399ae0-4bc6-4de9-870b-3657f8947e7e"},
                                         {"pointer", "0x1234"},
                                         {"filetime", "1970-01-01T00:00:00.0000001Z"},
                                         {"systemtime", "2021-09-09T14:59:35.799Z"},
                                         {"sid", "S-1-5-32-544"},
                                         {"hex32", "0xcafe"},
                                         {"hex64", "0xf00d"},
                                         {"counted_wide", "hi"},
                                         {"counted_narrow", "ok"},
                                         {"counted_binary", "7f"}});
}

TEST_CASE("TraceLogging: out types") {
  MetadataBuilder metadata("Formats");
  metadata.field("letter", 4, 2).field("wide_letter", 6, 2).field("flag", 4, 3);
  metadata.field("hex", 6, 4).field("pid", 8, 5).field("tid", 8, 6).field("port", 6, 7);
  metadata.field("ipv4", 8, 8).field("ipv6", 0xE, 9).field("socket", 0xE, 0xA);
  metadata.field("xml", 2, 0xB).field("json", 2, 0xC).field("win32", 8, 0xD);
  metadata.field("ntstatus", 8, 0xE).field("hresult", 7, 0xF).field("time", 0xA, 0x10);
  metadata.field("signed", 8, 0x11).field("unsigned", 7, 0x12).field("utf8", 2, 0x23);
  ByteBuilder b;
  b.u8('M').u16(0x20AC).u8(1).u16(0xBEEF).u32(7).u32(8).u8(0x01).u8(0xBB);
  b.u8(127).u8(0).u8(0).u8(1);
  b.u16(16).u16(0x0120).u16(0xB80D).zeros(10).u8(0).u8(1);  // 2001:db8::1
  b.u16(16).u16(2).u8(0).u8(80).u8(10).u8(0).u8(0).u8(5).zeros(8);
  b.text8("<a/>").text8("{}").u32(5).u32(0xC0000005).u32(0x80004005);
  b.u64(116'444'736'000'000'000).u32(0xFFFFFFFF).u32(0xFFFFFFFF).text8("\xE2\x82\xAC");
  Decoded decoded = decode_tracelogging(metadata, b.bytes());
  CHECK(decoded.complete);
  CHECK(decoded.fields == nlohmann::json{{"letter", "M"},
                                         {"wide_letter", "\xE2\x82\xAC"},
                                         {"flag", true},
                                         {"hex", "0xbeef"},
                                         {"pid", 7},
                                         {"tid", 8},
                                         {"port", 443},
                                         {"ipv4", "127.0.0.1"},
                                         {"ipv6", "2001:db8::1"},
                                         {"socket", "10.0.0.5:80"},
                                         {"xml", "<a/>"},
                                         {"json", "{}"},
                                         {"win32", 5},
                                         {"ntstatus", "0xc0000005"},
                                         {"hresult", "0x80004005"},
                                         {"time", "1970-01-01T00:00:00.0000000Z"},
                                         {"signed", -1},
                                         {"unsigned", 4294967295u},
                                         {"utf8", "\xE2\x82\xAC"}});
}

TEST_CASE("TraceLogging: arrays and nested structures") {
  MetadataBuilder metadata("Nested");
  metadata.field("fixed", 0x20 | 6).fixed_count(2);
  metadata.field("variable", 0x40 | 8);
  metadata.field("outer", 0x18, 2);  // two members
  metadata.field("a", 4);
  metadata.field("inner", 0x40 | 0x18, 1);  // array of a structure with one member
  metadata.field("b", 2);
  metadata.field("last", 4);
  ByteBuilder b;
  b.u16(1).u16(2).u16(3).u32(10).u32(20).u32(30);
  b.u8(7).u16(2).text8("x").text8("y");
  b.u8(9);
  Decoded decoded = decode_tracelogging(metadata, b.bytes());
  CHECK(decoded.complete);
  CHECK(decoded.undecoded_bytes == 0);
  CHECK(decoded.fields == nlohmann::json::parse(R"({"fixed":[1,2],"variable":[10,20,30],
      "outer":{"a":7,"inner":[{"b":"x"},{"b":"y"}]},"last":9})"));
  CHECK(decoded.tsv ==
        "\tfixed=[1,2]\tvariable=[10,20,30]\touter={a=7,inner=[{b=x},{b=y}]}\tlast=9");
}

TEST_CASE("TraceLogging: a short payload gives the fields it has and is marked incomplete") {
  MetadataBuilder metadata("Cut");
  metadata.field("count", 8).field("array", 0x40 | 8);
  Decoded decoded = decode_tracelogging(metadata, ByteBuilder().u32(1).u16(3).u32(5).bytes());
  CHECK_FALSE(decoded.complete);
  CHECK(decoded.fields == nlohmann::json::parse(R"({"count":1,"array":[5]})"));
}

TEST_CASE("an event without a schema keeps its header and its bytes") {
  EventRecord record;
  record.provider = kProvider;
  record.id = 12;
  record.payload = {1, 2, 3};
  Decoder decoder;
  Decoded decoded = decode(decoder, event_record(record));
  CHECK_FALSE(decoded.described);
  CHECK(decoded.name == "EventID(12)");
  CHECK(decoded.provider == "6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  CHECK(decoded.undecoded_bytes == 3);
}

TEST_CASE("a well-known provider has its name without a schema") {
  EventRecord record;
  record.provider = *parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  record.id = 1;
  Decoder decoder;
  const Decoded decoded = decode(decoder, event_record(record));
  CHECK_FALSE(decoded.described);
  CHECK(decoded.provider == "Microsoft-Windows-DotNETRuntime");
  CHECK(decoded.name == "EventID(1)");
}

TEST_CASE("a string-only event is its message") {
  EventRecord record;
  record.provider = kProvider;
  record.flags = 0x0004;
  record.payload = ByteBuilder().text16("hello").bytes();
  Decoder decoder;
  CHECK(decode(decoder, event_record(record)).fields == nlohmann::json{{"Message", "hello"}});
}

namespace {

constexpr std::string_view kManifest = R"xml(<instrumentationManifest
    xmlns="http://schemas.microsoft.com/win/2004/08/events"><instrumentation><events>
  <provider name="Test-Registered" guid="{6a399ae0-4bc6-4de9-870b-3657f8947e7e}" symbol="TEST">
    <opcodes><opcode name="Turn" value="11"/></opcodes>
    <tasks><task name="Wheel" value="1"/></tasks>
    <maps>
      <valueMap name="Colour"><map value="1" message="$(string.red)"/>
        <map value="0x2" message="$(string.blue)"/></valueMap>
      <bitMap name="Bits"><map value="0x1" message="low"/><map value="0x8" message="high"/></bitMap>
    </maps>
    <templates>
      <template tid="T">
        <data name="colour" inType="win:UInt32" map="Colour"/>
        <data name="bits" inType="win:UInt16" map="Bits"/>
        <data name="count" inType="win:UInt16"/>
        <data name="sizes" inType="win:UInt32" count="count" outType="win:HexInt32"/>
        <data name="length" inType="win:UInt16"/>
        <data name="blob" inType="win:Binary" length="length"/>
        <data name="text" inType="win:UnicodeString" length="4"/>
        <struct name="point" count="2"><data name="x" inType="win:Int8"/></struct>
        <data name="yes" inType="win:Boolean"/>
      </template>
    </templates>
    <events>
      <event value="5" version="1" task="Wheel" opcode="Turn" template="T"/>
      <event value="6" task="Wheel" opcode="win:Start"/>
      <event value="7" symbol="OnlySymbol" template="missing"/>
    </events>
  </provider></events></instrumentation>
  <localization><resources culture="en-US"><stringTable>
    <string id="red" value="Red"/><string id="blue" value="Blue"/>
  </stringTable></resources></localization></instrumentationManifest>)xml";

std::vector<std::uint8_t> manifest_payload() {
  ByteBuilder b;
  b.u32(2).u16(0x19).u16(2).u32(0x10).u32(0x20).u16(3).u8(1).u8(2).u8(3);
  b.u16('a').u16('b').u16(0).u16(0).u8(0xFF).u8(4).u32(1);
  return b.bytes();
}

const char* const kManifestFields = R"({"colour":"Blue","bits":"low|high|0x10","count":2,
    "sizes":["0x10","0x20"],"length":3,"blob":"010203","text":"ab",
    "point":[{"x":-1},{"x":4}],"yes":true})";

EventRecord manifest_event() {
  EventRecord record;
  record.provider = kProvider;
  record.id = 5;
  record.version = 1;
  record.payload = manifest_payload();
  return record;
}

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

TEST_CASE("a manifest that the user names decodes registered providers") {
  Decoder decoder;
  decoder.add_manifest(as_bytes(kManifest));
  CHECK(decoder.counts().manifest_events == 2);
  CHECK(decoder.counts().unusable == 1);
  Decoded decoded = decode(decoder, event_record(manifest_event()));
  CHECK(decoded.name == "Wheel/Turn");
  CHECK(decoded.provider == "Test-Registered");
  CHECK(decoded.complete);
  CHECK(decoded.fields == nlohmann::json::parse(kManifestFields));
  EventRecord start;
  start.provider = kProvider;
  start.id = 6;
  CHECK(decode(decoder, event_record(start)).name == "Wheel/Start");
}

TEST_CASE("an event of a newer version has the known fields and undecoded bytes") {
  Decoder decoder;
  decoder.add_manifest(as_bytes(kManifest));
  EventRecord newer = manifest_event();
  newer.version = 9;
  newer.payload.push_back(0xEE);
  Decoded decoded = decode(decoder, event_record(newer));
  CHECK(decoded.fields == nlohmann::json::parse(kManifestFields));
  CHECK(decoded.undecoded_bytes == 1);
}

TEST_CASE("an EventSource's manifest is assembled from chunks in any order") {
  std::size_t chunks = GENERATE(1u, 2u, 5u);
  Decoder decoder;
  std::size_t slice = kManifest.size() / chunks + 1;
  for (std::size_t i = chunks; i > 0; --i) {
    EventRecord record;
    record.provider = kProvider;
    record.id = 0xFFFE;
    record.opcode = 0xFE;
    record.task = 0xFFFE;
    record.process = 77;
    ByteBuilder b;
    b.u8(1).u8(1).u8(0).u8(0x5B).u16(static_cast<unsigned>(chunks));
    b.u16(static_cast<unsigned>(i - 1));
    b.raw(as_bytes(kManifest.substr((i - 1) * slice, slice)));
    record.payload = b.bytes();
    Held held(event_record(record));
    decoder.learn(held.record);
  }
  decoder.finish_learning();
  CHECK(decoder.counts().stream_manifests == 1);
  CHECK(decoder.counts().incomplete_manifests == 0);
  CHECK(decode(decoder, event_record(manifest_event())).fields ==
        nlohmann::json::parse(kManifestFields));
}

TEST_CASE("an invalid manifest is an error if named and counted if in the trace") {
  Decoder decoder;
  CHECK_THROWS_AS(decoder.add_manifest(as_bytes("no xml at all <")), tailgate::Error);
  CHECK_THROWS_AS(decoder.add_manifest(as_bytes("<a/>")), tailgate::Error);
  EventRecord record;
  record.provider = kProvider;
  record.id = 0xFFFE;
  record.opcode = 0xFE;
  record.task = 0xFFFE;
  record.payload = ByteBuilder().u8(1).u8(1).u8(0).u8(0x5B).u16(1).u16(0).text8("<a").bytes();
  Held held(event_record(record));
  decoder.learn(held.record);
  CHECK(decoder.counts().unusable == 1);
}

TEST_CASE("TRACE_EVENT_INFO and maps in a merged file decode its events") {
  // Layout from tdh.h: a head of 0x70 bytes, 24 bytes a property, then the texts.
  ByteBuilder texts;
  std::size_t text_base = 0x70 + 3 * 24;
  auto text = [&](std::string_view words) {
    std::size_t at = text_base + texts.bytes().size();
    texts.text16(words);
    return at;
  };
  std::size_t provider = text("Merged-Provider ");
  std::size_t task = text("Job ");
  std::size_t opcode = text("win:Stop ");
  std::size_t count_name = text("Count");
  std::size_t values_name = text("Values");
  std::size_t kind_name_at = text("Kind");
  std::size_t map_name = text("KindMap");
  ByteBuilder info;
  info.guid(kProvider).zeros(16).u16(40).u8(3).u8(0).u8(4).u8(2).u16(1).u64(0);
  info.u32(0).u32(provider).u32(0).u32(0).u32(0).u32(task).u32(opcode).zeros(6 * 4);
  info.u32(3).u32(3).u32(0);
  info.u32(0).u32(count_name).u16(8).u16(0).u32(0).u16(1).u16(4).u32(0);
  info.u32(4).u32(values_name).u16(6).u16(0).u32(0).u16(0).u16(2).u32(0);
  info.u32(0).u32(kind_name_at).u16(8).u16(0).u32(map_name).u16(1).u16(4).u32(0);
  REQUIRE(info.bytes().size() == text_base);
  info.raw(texts.bytes());
  ByteBuilder map;
  map.guid(kProvider).u32(24).u32(1).u32(1).u32(0).u32(40).u32(6).text16("KindMap").text16("Six ");
  ClassicRecord record;
  record.event_class = *parse_guid("bbccf6c1-6cd1-48c4-80ff-839482e37671");
  record.opcode = 32;
  record.payload = info.bytes();
  Decoder decoder;
  Held held_info(full_record(record));
  decoder.learn(held_info.record);
  record.opcode = 33;
  record.payload = map.bytes();
  Held held_map(full_record(record));
  decoder.learn(held_map.record);
  decoder.finish_learning();
  CHECK(decoder.counts().unusable == 0);
  EventRecord event;
  event.provider = kProvider;
  event.id = 40;
  event.version = 3;
  event.payload = ByteBuilder().u32(2).u16(8).u16(9).u32(6).bytes();
  Decoded decoded = decode(decoder, event_record(event));
  CHECK(decoded.provider == "Merged-Provider");
  CHECK(decoded.name == "Job/Stop");
  CHECK(decoded.complete);
  CHECK(decoded.fields == nlohmann::json::parse(R"({"Count":2,"Values":[8,9],"Kind":"Six"})"));
}

TEST_CASE("kernel layouts: published payloads of a context switch, a DPC and an ISR") {
  KernelRecord record;
  record.hook_id = 0x0524;
  record.version = 2;
  record.payload = ByteBuilder()
                       .u32(12)
                       .u32(0)
                       .u8(9)
                       .u8(0)
                       .u8(1)
                       .u8(0)
                       .u8(0)
                       .u8(0)
                       .u8(2)
                       .u8(3)
                       .u32(5)
                       .u32(0)
                       .bytes();
  Decoded decoded = decode_kernel(record);
  CHECK(decoded.name == "Thread/CSwitch");
  CHECK(decoded.fields["NewThreadId"] == 12);
  CHECK(decoded.fields["OldThreadState"] == 2);
  CHECK(decoded.fields["NewThreadWaitTime"] == 5);
  CHECK(decoded.undecoded_bytes == 0);

  record.hook_id = 0x0F44;
  record.payload = ByteBuilder().u64(1000).u64(0xFFFFF80000001234).bytes();
  CHECK(decode_kernel(record).fields ==
        nlohmann::json{{"InitialTime", 1000}, {"Routine", "0xfffff80000001234"}});

  record.hook_id = 0x0F43;
  record.pointer_bytes = 4;
  record.payload = ByteBuilder().u64(1000).u32(0x80001234).u8(1).u16(0x91).u8(0).bytes();
  decoded = decode_kernel(record);
  CHECK(decoded.fields["Vector"] == 0x91);
  CHECK(decoded.fields["ReturnValue"] == 1);
  CHECK(decoded.undecoded_bytes == 0);
}

// The fields that Windows' symbol files name, PERFINFO_CCSWAP_BUFFER; the items stay raw.
TEST_CASE("kernel layouts: a batch of compact context switches") {
  KernelRecord record;
  record.hook_id = 0x0525;
  record.version = 2;
  ByteBuilder b;
  b.u64(1000);
  for (unsigned i = 0; i < 16; ++i) b.u32(100 + i);
  for (unsigned i = 0; i < 16; ++i) b.u8(i);
  record.payload = b.u16(0x0018).u16(0x0321).bytes();
  Decoder decoder;
  Decoded decoded = decode(decoder, perf_info_record(record, {}));
  CHECK(decoded.name == "Thread/CompCS");
  CHECK(decoded.complete);
  CHECK(decoded.fields.at("FirstTimeStamp") == 1000);
  CHECK(decoded.fields.at("TidTable").at(15) == 115);
  CHECK(decoded.fields.at("ThreadBasePriority").at(3) == 3);
  CHECK(decoded.fields.at("Items") == nlohmann::json{"0x18", "0x321"});
}

TEST_CASE("kernel layouts: process with and without a SID, both pointer sizes") {
  unsigned pointer_bytes = GENERATE(4u, 8u);
  bool with_sid = GENERATE(true, false);
  ByteBuilder b;
  b.pointer(0x1000, pointer_bytes).u32(500).u32(4).u32(1).u32(259).pointer(0x2000, pointer_bytes);
  b.u32(2);
  if (with_sid) {
    b.pointer(0xAAAA, pointer_bytes).pointer(0, pointer_bytes);
    b.u8(1).u8(1).zeros(5).u8(5).u32(18);
  } else {
    b.u32(0);
  }
  b.text8("app.exe").text16("app.exe -x").text16("").text16("");
  KernelRecord record;
  record.hook_id = 0x0301;
  record.version = 4;
  record.payload = b.bytes();
  record.pointer_bytes = pointer_bytes;
  Decoded decoded = decode_kernel(record);
  CHECK(decoded.name == "Process/Start");
  CHECK(decoded.complete);
  CHECK(decoded.undecoded_bytes == 0);
  CHECK(decoded.fields["ProcessId"] == 500);
  CHECK(decoded.fields["UserSID"] == (with_sid ? "S-1-5-18" : ""));
  CHECK(decoded.fields["ImageFileName"] == "app.exe");
  CHECK(decoded.fields["CommandLine"] == "app.exe -x");
}

TEST_CASE("kernel layouts: every layout decodes zeros of its size and names its event") {
  // A payload of zeros is longer than any layout: it must decode and leave a rest.
  for (unsigned hook = 0; hook < 0x2000; ++hook) {
    KernelRecord record;
    record.hook_id = static_cast<std::uint16_t>(hook);
    record.version = 99;
    record.payload.assign(4000, 0);
    Decoded decoded = decode_kernel(record);
    CHECK(decoded.complete);
    CHECK_FALSE(decoded.name.empty());
  }
}

TEST_CASE("an image load of the process group is shown as an image event") {
  KernelRecord record;
  record.hook_id = 0x030A;
  ByteBuilder b;
  b.u64(0x400000).u64(0x1000).u32(500).u32(1).u32(2).u32(0).u64(0x400000).zeros(16).text16("a.dll");
  record.payload = b.bytes();
  Decoded decoded = decode_kernel(record);
  CHECK(decoded.name == "Image/Load");
  CHECK(decoded.fields["FileName"] == "a.dll");
  CHECK(decoded.fields["ImageSize"] == 4096);
}

TEST_CASE("stack addresses fill the rest of the payload") {
  KernelRecord record;
  record.hook_id = 0x1820;
  record.payload = ByteBuilder().u64(5).u32(6).u32(7).u64(0x10).u64(0x20).u64(0x30).bytes();
  CHECK(decode_kernel(record).fields["Stack"] == nlohmann::json({"0x10", "0x20", "0x30"}));
}

TEST_CASE("WPP messages are formatted by a TMF file") {
  constexpr std::string_view kTmf =
      "// PDB: tracedrv.pdb\r\n"
      "6a399ae0-4bc6-4de9-870b-3657f8947e7e tracedrv // SRC=tracedrv.c MJ= MN=\r\n"
      "#typev tracedrv_c258 12 \"%0Read %10!d! of %11!08x! for %12!s!: %13!s! %% %14!s!\" "
      "//   LEVEL=Info FLAGS=ALL FUNC=Dispatch\r\n"
      "{\r\n"
      "count, ItemLong -- 10\r\n"
      "status, ItemULong -- 11\r\n"
      "name, ItemString -- 12\r\n"
      "done, ItemListByte(no,yes) -- 13\r\n"
      "where, ItemGuid -- 14\r\n"
      "}\r\n";
  Decoder decoder;
  decoder.add_tmf(kTmf, "test.tmf");
  MessageRecord record;
  record.guid = kProvider;
  record.number = 12;
  record.arguments =
      ByteBuilder().u32(0xFFFFFFFE).u32(0xBEEF).text8("disk").u8(1).guid(kProvider).bytes();
  Decoded decoded = decode(decoder, message_record(record));
  CHECK(decoded.provider == "tracedrv");
  CHECK(decoded.name == "tracedrv_c258");
  CHECK(decoded.message ==
        "Read -2 of 0000beef for disk: yes % 6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  CHECK(decoded.fields["name"] == "disk");
  record.number = 13;
  CHECK_FALSE(decode(decoder, message_record(record)).described);
  CHECK_THROWS_AS(decoder.add_tmf("nothing here", "x.tmf"), tailgate::Error);
}

TEST_CASE("text is escaped for TSV and JSON, and names that repeat are numbered") {
  MetadataBuilder metadata("Text");
  metadata.field("a", 2).field("a", 2);
  Decoded decoded =
      decode_tracelogging(metadata, ByteBuilder().text8("x\ty\n\\").text8("\"\x01").bytes());
  CHECK(decoded.tsv == "\ta=x\\ty\\n\\\\\ta=\"\\x01");
  CHECK(decoded.fields == nlohmann::json{{"a", "x\ty\n\\"}, {"a#2", "\"\x01"}});
}

TEST_CASE("names in a manifest that are not UTF-8 become valid JSON") {
  std::string manifest(kManifest);
  // A Latin-1 e with acute accent, and half a surrogate pair, which pugixml does not reject.
  manifest.replace(manifest.find("\"colour\""), 8, "\"caf\xE9\"");
  manifest.replace(manifest.find("\"yes\""), 5, "\"&#xD800;\"");
  Decoder decoder;
  decoder.add_manifest(as_bytes(manifest));
  // decode() parses the JSON strictly.
  Decoded decoded = decode(decoder, event_record(manifest_event()));
  CHECK(decoded.fields.at("caf\u00e9") == "Blue");
  CHECK(decoded.fields.size() == 9);
}
