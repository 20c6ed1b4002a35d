// Reads whole files: framing, decompression, records, schemas, decoding, every report.
#include <cstdint>
#include <vector>

#include "harness/base/error.h"
#include "harness/etl/buffers_report.h"
#include "harness/etl/memory_use.h"
#include "harness/etl/packets.h"
#include "harness/etl/profile.h"
#include "harness/etl/report.h"
#include "harness/etl/spans.h"
#include "harness/etl/stacks.h"
#include "harness/etl/trace_reader.h"
#include "harness/etl/waits.h"

using namespace tailgate::etl;

namespace {

void read_packets(const std::vector<const TraceFile*>& files) {
  TraceReader reader(files, ReadOrder::file);
  Packet packet;
  while (const Record* record = reader.next()) read_packet(decode_header(*record), packet);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto swallow = [](std::string_view) { return true; };
  try {
    TraceFile file(Bytes(data, size), "fuzz input");
    const TraceFile* files[] = {&file};
    Decoder decoder;
    decoder.learn(files);
    report_info(file, decoder, TextFormat::text, swallow);
    report_stats({&file}, decoder, TextFormat::json, swallow);
    DumpOptions options;
    options.format = DumpFormat::json_lines;
    dump_events({&file}, decoder, options, swallow);
    options.format = DumpFormat::tsv;
    dump_events({&file}, decoder, options, swallow);
    options.format = DumpFormat::csv;
    dump_events({&file}, decoder, options, swallow);
    options.format = DumpFormat::xml;
    dump_events({&file}, decoder, options, swallow);
    report_cpu({&file}, TextFormat::json, 100, swallow);
    report_profile({&file}, {ProfileFormat::text, 100}, swallow);
    report_waits({&file}, TextFormat::json, 100, swallow);
    report_memory({&file}, TextFormat::json, 100, swallow);
    report_buffers({&file}, 0, TextFormat::json, swallow);
    report_stacks({&file}, decoder, {}, {StacksFormat::folded, 100}, swallow);
    report_spans({&file}, decoder, {}, SpanFormat::tsv, 100, swallow);
    report_spans({&file}, decoder, {}, SpanFormat::json, 100, swallow);
    read_packets({&file});
  } catch (const tailgate::Error&) {
    // The file is not a trace: it was refused with a reason.
  }
  return 0;
}
