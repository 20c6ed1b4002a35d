// Measures the reports on events: items are events that were read, or frames of stacks, and bytes
// those of the file, so the rates compare with memory_read of the same run (etl_bench.cpp).
#include <benchmark/benchmark.h>

#include <array>
#include <filesystem>
#include <memory>
#include <random>

#include "harness/base/error.h"
#include "harness/etl/profile.h"
#include "harness/etl/report.h"
#include "harness/etl/spans.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/to_sqlite.h"
#include "harness/etl/waits.h"
#include "harness/etl/where.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint32_t kReportBufferBytes = 65536;
constexpr unsigned kReportProcessors = 4;
constexpr std::uint32_t kEvents = 400'000;

WriterOptions bench_options() {
  WriterOptions options;
  options.buffer_bytes = kReportBufferBytes;
  options.processors = kReportProcessors;
  return options;
}

bool swallow(std::string_view text) {
  benchmark::DoNotOptimize(text.data());
  return true;
}

// Starts and stops of TraceLogging, by activity; each with a text, two integers and a real number.
const std::vector<std::uint8_t>& event_trace() {
  static const std::vector<std::uint8_t> trace = [] {
    const WriterOptions options = bench_options();
    TraceWriter writer(options);
    MetadataBuilder metadata("Work");
    metadata.field("text", 1).field("count", 8).field("address", 0x10).field("ratio", 0xC);
    EventRecord record;
    record.provider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
    record.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("Benchmark.Provider"));
    record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
    for (std::uint32_t i = 0; i < kEvents; ++i) {
      record.time = options.start_raw + i;
      record.opcode = i % 2 == 0 ? 1 : 2;
      record.thread = i / 2 % 64;
      record.activity.bytes[0] = static_cast<std::uint8_t>(i / 2 % 200 + 1);
      ByteBuilder payload;
      record.payload =
          payload.text16("a string").u32(i).u64(0x7FF612345678 + i).u64(0x4004000000000000).bytes();
      writer.add(static_cast<std::uint16_t>(i / 2 % kReportProcessors), event_record(record));
    }
    return writer.file();
  }();
  return trace;
}

// A thread becomes ready, is switched in, and waits again.
const std::vector<std::uint8_t>& switch_trace() {
  static const std::vector<std::uint8_t> trace = [] {
    const WriterOptions options = bench_options();
    TraceWriter writer(options);
    std::mt19937 random(1);
    std::array<std::uint32_t, kReportProcessors> running{};
    std::int64_t time = options.start_raw;
    for (std::uint32_t i = 0; i < kEvents / 2; ++i) {
      const auto processor = static_cast<std::uint16_t>(random() % kReportProcessors);
      const auto next = static_cast<std::uint32_t>(random() % 500 * 4);
      KernelRecord ready;
      ready.hook_id = 0x0532;
      ready.time = ++time;
      ready.payload = ByteBuilder().u32(next).u32(1).bytes();
      writer.add(processor, perf_info_record(ready));
      writer.add(processor, context_switch_record(++time, next, running[processor], 5, 6));
      running[processor] = next;
    }
    return writer.file();
  }();
  return trace;
}

constexpr std::uint32_t kFrames = 20;

// CPU samples, each with a stack of 20 frames in one of 50 images.
const std::vector<std::uint8_t>& sample_trace() {
  static const std::vector<std::uint8_t> trace = [] {
    const WriterOptions options = bench_options();
    TraceWriter writer(options);
    std::mt19937 random(1);
    std::int64_t time = options.start_raw;
    const auto add = [&](std::uint16_t hook, const ByteBuilder& payload) {
      KernelRecord record;
      record.hook_id = hook;
      record.time = ++time;
      record.payload = payload.bytes();
      writer.add(0, perf_info_record(record));
    };
    for (std::uint64_t i = 1; i <= 50; ++i) {
      ByteBuilder image;
      image.u64(i << 20).u64(1 << 20).u32(500).zeros(12).u64(0).zeros(16).text16("x.dll");
      add(0x1403, image);
    }
    for (std::uint32_t i = 0; i < kEvents / 8; ++i) {
      add(0x0F2E, ByteBuilder().u64(1 << 20).u32(8).u16(1).u8(0).u8(0));
      ByteBuilder stack;
      stack.u64(static_cast<std::uint64_t>(time)).u32(500).u32(8);
      for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
        stack.u64((1 + random() % 50) << 20 | (random() % 16) << 4);
      }
      add(0x1820, stack);
    }
    return writer.file();
  }();
  return trace;
}

template <typename Report>
void measure(benchmark::State& state, const std::vector<std::uint8_t>& bytes, std::int64_t items,
             Report report) {
  TraceFile file(bytes, "benchmark");
  for (auto _ : state) {
    Decoder decoder;
    report(file, decoder);
  }
  state.SetItemsProcessed(state.iterations() * items);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void spans_by_activity(benchmark::State& state) {
  measure(state, event_trace(), kEvents, [](TraceFile& file, Decoder& decoder) {
    report_spans({&file}, decoder, {}, SpanFormat::json, 10, swallow);
  });
}

void condition_on_two_fields(benchmark::State& state) {
  DumpOptions options;
  options.filter.where = std::make_shared<const Where>("count < 0 or text contains 'x'");
  measure(state, event_trace(), kEvents, [&options](TraceFile& file, Decoder& decoder) {
    dump_events({&file}, decoder, options, swallow);
  });
}

void four_columns_to_csv(benchmark::State& state) {
  DumpOptions options;
  options.format = DumpFormat::csv;
  for (const char* name : {"time_ms", "event", "count", "text"}) {
    options.columns.push_back(EventPath::parse(name));
  }
  measure(state, event_trace(), kEvents, [&options](TraceFile& file, Decoder& decoder) {
    dump_events({&file}, decoder, options, swallow);
  });
}

void waits_and_readiers(benchmark::State& state) {
  measure(state, switch_trace(), kEvents,
          [](TraceFile& file, Decoder&) { report_waits({&file}, TextFormat::json, 10, swallow); });
}

void stacks_joined(benchmark::State& state) {
  measure(
      state, sample_trace(), std::int64_t{kEvents} / 8 * kFrames,
      [](TraceFile& file, Decoder&) { report_profile({&file}, {ProfileFormat::json}, swallow); });
}

void events_to_sqlite(benchmark::State& state) {
  const auto threads = static_cast<unsigned>(state.range(0));
  const auto path = std::filesystem::temp_directory_path() / "tailgate_etl_bench.sqlite";
  try {
    measure(state, event_trace(), kEvents, [&](TraceFile& file, Decoder& decoder) {
      write_sqlite({&file}, decoder, {{}, true, threads}, path);
    });
  } catch (const tailgate::Error& error) {
    state.SkipWithError(error.what());  // a build without SQLite measures the rest
  }
  std::filesystem::remove(path);
}

BENCHMARK(spans_by_activity)->Unit(benchmark::kMillisecond);
BENCHMARK(condition_on_two_fields)->Unit(benchmark::kMillisecond);
BENCHMARK(four_columns_to_csv)->Unit(benchmark::kMillisecond);
BENCHMARK(waits_and_readiers)->Unit(benchmark::kMillisecond);
BENCHMARK(stacks_joined)->Unit(benchmark::kMillisecond);
// By threads; in real time, because they share the work.
BENCHMARK(events_to_sqlite)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
