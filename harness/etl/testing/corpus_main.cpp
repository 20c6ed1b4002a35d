// Writes the fuzz targets' seed corpora: small traces and pieces of every kind, all made here.
//
//   tailgate_etl_corpus DIRECTORY
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/etl/testing/compress.h"
#include "harness/etl/testing/event_log_file.h"
#include "harness/etl/testing/trace_writer.h"

namespace {

using namespace tailgate::etl;
namespace fs = std::filesystem;

const Guid kProvider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");

void save(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

MetadataBuilder metadata() {
  MetadataBuilder built("Seed");
  built.field("text", 1).field("count", 8, 4).field("list", 0x40 | 6).field("pair", 0x18, 2);
  built.field("a", 2).field("b", 0x40 | 4).field("blob", 0x0E, 0x0A).field("sid", 0x13);
  return built;
}

std::vector<std::uint8_t> metadata_payload() {
  ByteBuilder b;
  b.text16("seed").u32(7).u16(2).u16(1).u16(2).text8("x").u16(1).u8(9);
  b.u16(8).u16(2).u8(0).u8(80).u8(127).u8(0).u8(0).u8(1);
  return b.u8(1).u8(1).zeros(5).u8(5).u32(18).bytes();
}

// Every record kind, and the kernel events that the state machine knows.
std::vector<std::uint8_t> trace(CompressionFormat compression, unsigned pointer_bytes) {
  WriterOptions options;
  options.buffer_bytes = 1024;
  options.compression = compression;
  options.pointer_bytes = pointer_bytes;
  TraceWriter writer(options);
  std::int64_t time = options.start_raw;
  constexpr std::uint16_t kHooks[] = {0x0005, 0x0301, 0x0303, 0x0501, 0x0503, 0x030A,
                                      0x1403, 0x0524, 0x0532, 0x0F44, 0x0F43, 0x0F2E,
                                      0x010A, 0x0220, 0x060A, 0x1820, 0x090A};
  for (const std::uint16_t hook : kHooks) {
    KernelRecord kernel;
    kernel.hook_id = hook;
    kernel.version = 3;
    kernel.time = ++time;
    kernel.thread = 8;
    kernel.process = 4;
    kernel.payload.assign(72, static_cast<std::uint8_t>(hook));
    kernel.pointer_bytes = pointer_bytes;
    writer.add(hook % 3, hook % 2 ? perf_info_record(kernel, {1}) : system_record(kernel));
    writer.add(hook % 3, compact_record(kernel));
  }
  ClassicRecord classic{kProvider, 3, 1, ++time, 8, 4, {1, 2, 3}, pointer_bytes};
  writer.add(0, full_record(classic));
  writer.add(0, instance_record(classic, 1, 2));
  EventRecord event;
  event.provider = kProvider;
  event.time = ++time;
  event.pointer_bytes = pointer_bytes;
  event.payload = metadata_payload();
  event.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("Seed.Provider"));
  event.extended.emplace_back(std::uint16_t{0x0B}, metadata().bytes());
  writer.add(1, event_record(event));
  MessageRecord message;
  message.guid = kProvider;
  message.time = ++time;
  message.arguments = {1, 2, 3, 4};
  writer.add(2, message_record(message));
  return writer.file();
}

// Checksums of IPv4 and UDP may be any: no reader of captures stops at a wrong one.
std::vector<std::uint8_t> udp_packet(std::uint8_t last_of_address, std::string_view text) {
  ByteBuilder b;
  b.u8(0x45).u8(0).u8(0).u8(static_cast<unsigned>(28 + text.size())).u32(0);
  b.u8(64).u8(17).u16(0).u8(10).u8(0).u8(0).u8(1).u8(10).u8(0).u8(0).u8(last_of_address);
  b.u8(0x30).u8(0x39).u8(0).u8(53).u8(0).u8(static_cast<unsigned>(8 + text.size())).u16(0);
  for (char c : text) b.u8(static_cast<unsigned char>(c));
  return b.bytes();
}

std::vector<std::uint8_t> ethernet_frame(std::uint8_t last_of_address, std::string_view text) {
  ByteBuilder b;
  b.u8(2).zeros(4).u8(1).u8(2).zeros(4).u8(2).u8(8).u8(0);
  return b.raw(udp_packet(last_of_address, text)).bytes();
}

// A packet in one event and one in two of ndiscap; a packet and a drop of PktMon.
std::vector<std::uint8_t> packet_trace() {
  constexpr std::uint64_t kStart = 0x4000'0000;
  constexpr std::uint64_t kEnd = 0x8000'0000;
  constexpr std::uint64_t kSend = 0x1'0000'0000;
  constexpr std::uint64_t kReceive = 0x2'0000'0000;
  WriterOptions options;
  options.buffer_bytes = 2048;
  TraceWriter writer(options);
  EventRecord event;
  event.provider = *parse_guid("2ed6006e-4729-4609-b423-3ee7bcd678ef");
  event.id = 1001;
  event.thread = 8;
  event.process = 4;
  event.time = options.start_raw;
  const auto fragment = [&](std::uint64_t keyword, Bytes bytes) {
    event.time += 10'000;
    event.keyword = keyword;
    event.payload = ByteBuilder().u32(5).u32(7).u32(bytes.size()).raw(bytes).bytes();
    writer.add(0, event_record(event));
  };
  const std::vector<std::uint8_t> whole = ethernet_frame(2, "in one event");
  fragment(kStart | kEnd | kSend, whole);
  const std::vector<std::uint8_t> parts = ethernet_frame(3, "in two events");
  fragment(kStart | kReceive, Bytes(parts).first(20));
  fragment(kEnd | kReceive, Bytes(parts).subspan(20));
  fragment(kEnd | kReceive, Bytes(parts).subspan(20));  // its begin is lost
  event.provider = *parse_guid("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac");
  event.keyword = 0x10;
  constexpr std::pair<std::uint16_t, unsigned> kIdsAndReasons[] = {{160, 0}, {170, 209}};
  for (const auto& [id, reason] : kIdsAndReasons) {
    const std::vector<std::uint8_t> frame = ethernet_frame(4, "of pktmon");
    const auto size = static_cast<unsigned>(frame.size());
    event.id = id;
    event.time += 10'000;
    ByteBuilder b;
    b.u64(1).u16(1).u16(1).u16(3).u16(1).u16(12).u16(0).u16(0).u32(reason).u32(0x77);
    b.u16(size + 100).u16(size).raw(frame);
    event.payload = b.bytes();
    writer.add(0, event_record(event));
  }
  return writer.file();
}

std::vector<std::uint8_t> event_log() {
  std::vector<EventLogFileRecord> records(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].number = i + 1;
    records[i].filetime += static_cast<std::int64_t>(i) * 10'000;
    records[i].user = "user" + std::string(i, '!');
    records[i].size = static_cast<std::uint32_t>(4096 * i);
  }
  return event_log_file(records);
}

constexpr std::string_view kEventXml =
    "<Events><Event xmlns='x'><System><Provider Name='P' Guid='{6a399ae0-4bc6-4de9-870b-"
    "3657f8947e7e}' EventSourceName='S'/><EventID Qualifiers='1'>7</EventID><Version>1</Version>"
    "<Level>4</Level><Task>2</Task><Opcode>1</Opcode><Keywords>0x80</Keywords><TimeCreated "
    "SystemTime='2020-07-29T00:06:22.401234500Z'/><EventRecordID>9</EventRecordID><Correlation "
    "ActivityID='{6a399ae0-4bc6-4de9-870b-3657f8947e7e}'/><Execution ProcessID='4' ThreadID='8' "
    "ProcessorID='1'/><Channel>C</Channel><Computer>pc</Computer><Security UserID='S-1-5-18'/>"
    "</System><EventData><Data Name='a'>0x10</Data><Data>-5</Data><Binary>0A</Binary></EventData>"
    "<UserData><W><s k='v'><t>1</t>u</s></W></UserData></Event><Event/></Events>";

// Short text, and bytes enough for the decoders' fast paths.
void save_decompression(const fs::path& directory) {
  constexpr std::string_view kText =
      "the seed of the seed of the seed, aaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  const std::vector<std::uint8_t> text(kText.begin(), kText.end());
  const std::vector<std::uint8_t> records = trace(CompressionFormat::none, 8);
  const std::pair<CompressionFormat, const char*> kFormats[] = {
      {CompressionFormat::xpress, "xpress"},
      {CompressionFormat::lznt1, "lznt1"},
      {CompressionFormat::xpress_huffman, "xpress_huffman"}};
  for (const auto& [format, name] : kFormats) {
    for (const auto& [data, file] : {std::pair{&text, "text"}, std::pair{&records, "records"}}) {
      auto size = static_cast<unsigned>(data->size());
      ByteBuilder b;
      b.u8(size & 0xFF).u8((size >> 8) & 0xFF).u8(size >> 16).raw(compress(format, *data));
      save(directory / name / file, b.bytes());
    }
  }
}

void save_text(const fs::path& path, unsigned which, std::string_view text) {
  ByteBuilder b;
  b.u8(which).u8(16);
  for (unsigned i = 0; i < 16; ++i) b.u8(i);
  for (char c : text) b.u8(static_cast<unsigned char>(c));
  save(path, b.bytes());
}

constexpr std::string_view kManifest =
    "<instrumentationManifest><instrumentation><events><provider name='P' "
    "guid='{6a399ae0-4bc6-4de9-870b-3657f8947e7e}'><tasks><task name='T' value='1'/></tasks><maps>"
    "<valueMap name='M'><map value='1' message='$(string.a)'/></valueMap><bitMap name='B'>"
    "<map value='0x1' message='x'/></bitMap></maps><templates><template tid='t'><data name='n' "
    "inType='win:UInt16' map='B'/><data name='l' inType='win:UInt32' count='n'/><struct name='s' "
    "count='2'><data name='q' inType='win:AnsiString' length='3'/></struct><data name='b' "
    "inType='win:Binary' length='n'/></template></templates><events><event value='1' task='T' "
    "opcode='win:Start' template='t'/></events></provider></events></instrumentation><localization>"
    "<resources><stringTable><string id='a' value='A'/></stringTable></resources></localization>"
    "</instrumentationManifest>";

constexpr std::string_view kTmf =
    "00000000-0000-0000-0000-000000000000 seed // SRC=seed.c\n"
    "#typev seed_c1 10 \"%0a %10!d! %11!08x! %12!s!\" // FUNC=f\n{\n"
    "x, ItemLong -- 10\ny, ItemULong -- 11\nz, ItemListLong(a,b) -- 12\n}\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: tailgate_etl_corpus DIRECTORY\n");
    return 2;
  }
  const fs::path directory = argv[1];
  save(directory / "reader/plain64", trace(CompressionFormat::none, 8));
  save(directory / "reader/plain32", trace(CompressionFormat::none, 4));
  save(directory / "reader/packets", packet_trace());
  save(directory / "event_log/evtx", event_log());
  save(directory / "event_log/xml", {kEventXml.begin(), kEventXml.end()});
  save(directory / "event_log/utf16", ByteBuilder().u16(0xFEFF).text16(kEventXml).bytes());
  save(directory / "reader/xpress", trace(CompressionFormat::xpress, 8));
  save(directory / "reader/lznt1", trace(CompressionFormat::lznt1, 4));
  save(directory / "reader/xpress_huffman", trace(CompressionFormat::xpress_huffman, 8));
  save_decompression(directory);
  ByteBuilder schema;
  schema.u8(0).u16(static_cast<unsigned>(metadata().bytes().size())).raw(metadata().bytes());
  save(directory / "tracelogging/metadata", schema.raw(metadata_payload()).bytes());
  ByteBuilder traits;
  save(directory / "tracelogging/traits", traits.u8(3).u16(7).raw(provider_traits("Seed")).bytes());
  save_text(directory / "manifest/manifest", 0, kManifest);
  save_text(directory / "manifest/tmf", 1, kTmf);
  return 0;
}
