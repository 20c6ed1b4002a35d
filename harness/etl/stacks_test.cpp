#include "harness/etl/stacks.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/etl/testing/kernel_trace.h"

using namespace tailgate::etl;

namespace {

struct Report {
  std::string out;
  std::string nothing;
};

Report folded(KernelTrace& trace, const EventFilter& filter) {
  const std::vector<std::uint8_t> bytes = trace.file();
  const TraceFile file(bytes, "test");
  const TraceFile* files[] = {&file};
  Decoder decoder;
  decoder.learn(files);
  Report report;
  report.nothing = report_stacks({&file}, decoder, filter, {StacksFormat::folded, 10},
                                 [&report](std::string_view text) {
                                   report.out += text;
                                   return true;
                                 });
  return report;
}

void switch_to(KernelTrace& trace, std::int64_t time_us, std::uint32_t to, std::uint32_t from) {
  trace.writer().add(0, context_switch_record(trace.raw(time_us), to, from));
}

}  // namespace

TEST_CASE("context switches are joined with their stacks, in parts and by key", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "app.exe");
  trace.image(0, 500, 0x10000, 0x1000, R"(\app\app.exe)");
  trace.image(0, 0, 0xFFFF'F800'0000'0000, 0x1000, R"(\SystemRoot\ntoskrnl.exe)");
  switch_to(trace, 10, 8, 0);
  trace.stack(10, 10, 500, 8, {0xFFFF'F800'0000'0004});  // the kernel's part
  switch_to(trace, 20, 0, 8);
  // The user's part comes later, as a key that is defined later still.
  trace.add(30, 0x1826,
            ByteBuilder().u64(static_cast<std::uint64_t>(trace.raw(10))).u32(500).u32(8).u64(99));
  trace.add(40, 0x1823, ByteBuilder().u64(99).u64(0x10010).u64(0x10020));
  trace.stack(41, 17, 500, 8, {0x10030});  // of an event that the trace does not have
  EventFilter filter;
  filter.events = {"CSwitch"};
  const Report report = folded(trace, filter);
  CHECK(report.out ==
        "app.exe (500);app.exe+0x20;app.exe+0x10;ntoskrnl.exe+0x4;Thread/CSwitch 1\n");
  CHECK(report.nothing.empty());
}

TEST_CASE("a key that is used again stands for the stack of its next end", "[etl]") {
  KernelTrace trace;
  const auto ends = [&trace](std::int64_t time_us, std::uint64_t frame) {
    trace.add(time_us, 0x1823, ByteBuilder().u64(99).u64(frame));
  };
  const auto uses = [&trace](std::int64_t event_us, std::uint32_t thread) {
    switch_to(trace, event_us, thread, 0);
    trace.add(event_us + 1, 0x1825,
              ByteBuilder()
                  .u64(static_cast<std::uint64_t>(trace.raw(event_us)))
                  .u32(500)
                  .u32(thread)
                  .u64(99));
  };
  ends(5, 0x111);
  uses(10, 8);
  ends(20, 0x222);
  uses(30, 12);
  trace.add(40, 0x1824, ByteBuilder().u64(99).u64(0x333));
  EventFilter filter;
  filter.events = {"CSwitch"};
  CHECK(folded(trace, filter).out ==
        "unknown (500);0x222;Thread/CSwitch 1\nunknown (500);0x333;Thread/CSwitch 1\n");
}

TEST_CASE("a key that begins at the tick of its use is found", "[etl]") {
  KernelTrace trace;
  switch_to(trace, 10, 8, 0);
  trace.add(11, 0x1822, ByteBuilder().u64(99).u64(0x111));
  trace.add(11, 0x1825,
            ByteBuilder().u64(static_cast<std::uint64_t>(trace.raw(10))).u32(500).u32(8).u64(99));
  EventFilter filter;
  filter.events = {"CSwitch"};
  CHECK(folded(trace, filter).out == "unknown (500);0x111;Thread/CSwitch 1\n");
}

namespace {

// Events, and behind the last of them their stacks: stack(i) is the one of event i.
// late: so many of the first events have one more frame behind all of them.
template <typename StackOf>
Report folded_late_stacks(std::uint32_t events, StackOf stack, std::uint32_t late = 0) {
  WriterOptions options;
  options.buffer_bytes = 65536;
  KernelTrace trace(options);
  for (std::uint32_t i = 0; i < events; ++i) switch_to(trace, i, 8, 0);
  for (std::uint32_t i = 0; i < events; ++i) trace.stack(events + i, i, 500, 8, stack(i));
  for (std::uint32_t i = 0; i < late; ++i) trace.stack(2 * events + i, i, 500, 8, {0x5678});
  EventFilter filter;
  filter.events = {"CSwitch"};
  return folded(trace, filter);
}

}  // namespace

TEST_CASE("a stack with a frame whose text has no room is left out and counted", "[etl]") {
  // A process, an event and 1,000 frames, of 131,072 texts at most.
  const Report report = folded_late_stacks(140, [](std::uint32_t event) {
    std::vector<std::uint64_t> frames;
    for (std::uint64_t i = 0; i < 1000; ++i) frames.push_back(0x1000 * (event + 1) + i);
    return frames;
  });
  CHECK_THAT(report.nothing, Catch::StartsWith("9 stacks were left out"));
  CHECK(std::count(report.out.begin(), report.out.end(), '\n') == 131);
}

TEST_CASE("events that there is no room to wait with are counted", "[etl]") {
  // 2,621 such stacks have 1,048,400 frames; 1,048,576 may wait.
  const Report report = folded_late_stacks(
      4000, [](std::uint32_t) { return std::vector<std::uint64_t>(400, 0x1234); }, 100);
  CHECK_THAT(report.nothing, Catch::StartsWith("100 stacks lack a part"));
  CHECK_THAT(report.out, Catch::EndsWith(" 4000\n"));
}

TEST_CASE("a record's own stack counts", "[etl]") {
  KernelTrace trace;
  trace.process(0, 0x0303, 500, "app.exe");
  trace.image(0, 500, 0x10000, 0x1000, R"(\app\app.exe)");
  constexpr std::uint16_t kMetadata = 0x0B;
  constexpr std::uint16_t kStack64 = 0x06;
  EventRecord record;
  record.provider.bytes[0] = 7;
  record.process = 500;
  record.thread = 8;
  record.extended = {{kMetadata, MetadataBuilder("Alloc").bytes()},
                     {kStack64, ByteBuilder().u64(0).u64(0x10010).u64(0x10020).bytes()}};
  for (std::int64_t time_us : {10, 20}) {
    record.time = trace.raw(time_us);
    trace.writer().add(0, event_record(record));
  }
  EventFilter filter;
  filter.events = {"Alloc"};
  CHECK(folded(trace, filter).out == "app.exe (500);app.exe+0x20;app.exe+0x10;Alloc 2\n");
}

TEST_CASE("events without stacks and filters without events say so", "[etl]") {
  KernelTrace trace;
  switch_to(trace, 10, 8, 0);
  EventFilter filter;
  filter.events = {"CSwitch"};
  CHECK_THAT(folded(trace, filter).nothing, Catch::Contains("no event that passes has a stack"));
  filter.events = {"CSwitsh"};
  CHECK_THAT(folded(trace, filter).nothing, Catch::Contains("CSwitch"));
}
