// Reads whole files: framing, decompression, records, schemas, decoding, every report.
#include <cstdint>

#include "harness/base/error.h"
#include "harness/etl/report.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

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
    report_cpu({&file}, TextFormat::json, 100, swallow);
  } catch (const tailgate::Error&) {
    // The file is not a trace: it was refused with a reason.
  }
  return 0;
}
