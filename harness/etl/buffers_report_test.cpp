#include "harness/etl/buffers_report.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"
#include "harness/etl/testing/kernel_trace.h"

using namespace tailgate::etl;

namespace {

std::string report(KernelTrace& trace, double interval_ms, std::string* note = nullptr) {
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  std::string out;
  const std::string left_out =
      report_buffers({&file}, interval_ms, TextFormat::text, [&out](std::string_view text) {
        out += text;
        return true;
      });
  if (note != nullptr) *note = left_out;
  return out;
}

}  // namespace

TEST_CASE("buffers count at their last record, by processor", "[etl]") {
  KernelTrace trace;
  const auto sample = [&trace](std::int64_t time_us, std::uint16_t processor) {
    trace.add(time_us, 0x0F2E, ByteBuilder().u64(1).u32(8).u16(1).u16(0), processor);
  };
  sample(100, 0);
  sample(900, 0);
  trace.writer().flush(0);
  sample(500, 1);
  sample(2100, 1);
  trace.writer().flush(1, kEventsLost);
  sample(2200, 0);
  trace.writer().flush(0);
  // A record of 16 + 16 bytes; a buffer's header of 72.
  std::string note;
  CHECK(report(trace, 1, &note) == std::string(kBufferColumns) +
                                       "\n0.000\t1.000\t0\t1\t2\t136\t4096\t0\n"
                                       "2.000\t3.000\t0\t1\t1\t104\t4096\t0\n"
                                       "2.000\t3.000\t1\t1\t2\t136\t4096\t1\n");
  CHECK(note.empty());
}

TEST_CASE("a buffer without a record is counted", "[etl]") {
  KernelTrace trace;
  std::vector<std::uint8_t> damaged(64, 0x77);
  trace.writer().add(0, damaged);
  std::string note;
  CHECK(report(trace, 1, &note) == std::string(kBufferColumns) + "\n");
  CHECK(note == "1 buffers have no record that can be read, so no time");
}

TEST_CASE("an interval must be longer than nothing", "[etl]") {
  KernelTrace trace;
  CHECK_THROWS_AS(report(trace, -1), tailgate::Error);
}
