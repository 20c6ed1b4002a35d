// Measures how fast traces are read, beside the machine's own limits in the same run: memory_read
// and memcpy over the same bytes. In the rates, items are events and bytes are those of the
// uncompressed records.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "harness/etl/decompress.h"
#include "harness/etl/kernel_activity.h"
#include "harness/etl/prefetcher.h"
#include "harness/etl/report.h"
#include "harness/etl/testing/compress.h"
#include "harness/etl/testing/trace_writer.h"
#include "harness/etl/trace_reader.h"

using namespace tailgate::etl;

namespace {

constexpr std::uint32_t kBufferBytes = 65536;
constexpr unsigned kProcessors = 8;
constexpr std::size_t kTraceBytes = 192u << 20;  // larger than any cache

// Context switches on eight processors; some threads block, some are preempted.
std::vector<std::uint8_t> switches(std::size_t events, CompressionFormat compression,
                                   std::int64_t first_time) {
  WriterOptions options;
  options.buffer_bytes = kBufferBytes;
  options.compression = compression;
  options.processors = kProcessors;
  TraceWriter writer(options);
  std::mt19937 random(1);
  std::array<std::uint32_t, kProcessors> running{};
  for (std::size_t i = 0; i < events; ++i) {
    auto processor = static_cast<std::uint16_t>(random() % kProcessors);
    auto next = static_cast<std::uint32_t>(random() % 2000 * 4);
    writer.add(processor, context_switch_record(first_time + static_cast<std::int64_t>(i), next,
                                                running[processor]));
    running[processor] = next;
  }
  return writer.file();
}

// The same trace repeated to kTraceBytes in one file; times and sequence numbers continue.
const std::vector<std::uint8_t>& large_switch_trace() {
  static const std::vector<std::uint8_t> trace = [] {
    constexpr std::size_t kEvents = 200'000;
    std::vector<std::uint8_t> whole;
    for (std::int64_t round = 0; whole.size() < kTraceBytes; ++round) {
      auto start = WriterOptions().start_raw + 1 + round * static_cast<std::int64_t>(kEvents);
      auto part = switches(kEvents, CompressionFormat::none, start);
      std::size_t from = whole.empty() ? 0 : kBufferBytes;
      whole.insert(whole.end(), part.begin() + static_cast<std::ptrdiff_t>(from), part.end());
    }
    return whole;
  }();
  return trace;
}

// Events as of a manifest, 130 to 400 bytes each, with activity ids and payloads.
const std::vector<std::uint8_t>& large_event_trace() {
  static const std::vector<std::uint8_t> trace = [] {
    WriterOptions options;
    options.buffer_bytes = kBufferBytes;
    TraceWriter writer(options);
    std::mt19937 random(2);
    EventRecord record;
    record.provider = *parse_guid("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
    std::size_t bytes = 0;
    for (std::int64_t i = 0; bytes < kTraceBytes; ++i) {
      record.id = static_cast<std::uint16_t>(random() % 200);
      record.time = options.start_raw + i;
      record.payload.assign(50 + random() % 250, static_cast<std::uint8_t>(i));
      writer.add(static_cast<std::uint16_t>(random() % kProcessors), event_record(record));
      bytes += 80 + record.payload.size();
    }
    return writer.file();
  }();
  return trace;
}

// Sets the rate: `bytes` are those of one iteration.
void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void memory_read(benchmark::State& state) {
  const auto& bytes = large_switch_trace();
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data());
  for (auto _ : state) {
    benchmark::DoNotOptimize(std::accumulate(words, words + bytes.size() / 8, std::uint64_t{0}));
  }
  set_bytes(state, bytes.size());
}

void memory_copy(benchmark::State& state) {
  const auto& bytes = large_switch_trace();
  std::vector<std::uint8_t> to(bytes.size());
  for (auto _ : state) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  set_bytes(state, bytes.size());
}

void walk(benchmark::State& state, const std::vector<std::uint8_t>& bytes) {
  TraceFile file(bytes, "benchmark");
  std::int64_t events = 0;
  for (auto _ : state) {
    TraceReader reader({&file}, ReadOrder::file, 0);
    std::int64_t times = 0;
    while (const Record* record = reader.next()) {
      times ^= record->time;
      ++events;
    }
    benchmark::DoNotOptimize(times);
  }
  state.SetItemsProcessed(events);
  set_bytes(state, bytes.size());
}

void header_walk_switches(benchmark::State& state) {
  walk(state, large_switch_trace());
}
void header_walk_events(benchmark::State& state) {
  walk(state, large_event_trace());
}

void merge_in_time_order(benchmark::State& state) {
  TraceFile file(large_switch_trace(), "benchmark");
  std::int64_t events = 0;
  for (auto _ : state) {
    TraceReader reader({&file}, ReadOrder::time, 0);
    std::int64_t times = 0;
    while (const Record* record = reader.next()) {
      times ^= record->time;
      ++events;
    }
    benchmark::DoNotOptimize(times);
  }
  state.SetItemsProcessed(events);
}

void merge_and_cpu_accounting(benchmark::State& state) {
  TraceFile file(large_switch_trace(), "benchmark");
  std::int64_t events = 0;
  for (auto _ : state) {
    TraceReader reader({&file}, ReadOrder::time, 0);
    KernelActivity kernel(file.header(), file.clock());
    while (const Record* record = reader.next()) {
      kernel.add(*record);
      ++events;
    }
    kernel.finish();
    benchmark::DoNotOptimize(kernel.timeline().switches());
  }
  state.SetItemsProcessed(events);
}

void decompression(benchmark::State& state, CompressionFormat format) {
  auto bytes = switches(40'000, CompressionFormat::none, 1);
  std::vector<std::vector<std::uint8_t>> packed;
  for (std::size_t at = kBufferBytes; at < bytes.size(); at += kBufferBytes) {
    packed.push_back(compress(format, {bytes.data() + at, kBufferBytes}));
  }
  std::vector<std::uint8_t> out(kBufferBytes);
  for (auto _ : state) {
    for (const auto& buffer : packed) {
      if (!decompress(format, buffer, out)) state.SkipWithError("damaged");
      benchmark::DoNotOptimize(out.data());
    }
  }
  set_bytes(state, packed.size() * kBufferBytes);
}

const std::vector<std::uint8_t>& compressed_switch_trace() {
  static const auto bytes = switches(1'000'000, CompressionFormat::xpress, 1);
  return bytes;
}

// Decompresses the buffers of an XPRESS trace on as many threads as the argument says: this one and
// its helpers, which always have requests queued. Measures real time, as below.
void decompress_in_parallel(benchmark::State& state) {
  TraceFile file(compressed_switch_trace(), "benchmark");
  auto threads = static_cast<unsigned>(state.range(0));
  Prefetcher prefetcher(threads - 1);
  std::vector<PrefetchSlot> slots(4 * std::size_t{threads});
  auto buffers = file.buffers();
  std::size_t unpacked = 0;
  for (auto _ : state) {
    std::size_t requested = 0;
    for (std::size_t taken = 0; taken < buffers.size(); ++taken) {
      for (; requested < std::min(taken + slots.size(), buffers.size()); ++requested) {
        prefetcher.request(slots[requested % slots.size()], file, buffers[requested]);
      }
      unpacked += prefetcher.take(slots[taken % slots.size()]).size();
    }
  }
  set_bytes(state, unpacked / static_cast<std::size_t>(state.iterations()));
}

// Reads every record of an XPRESS trace in order of time, with as many helper threads as the
// argument says. Measures real time, because the helpers' work counts.
void read_compressed(benchmark::State& state) {
  TraceFile file(compressed_switch_trace(), "benchmark");
  std::int64_t unpacked = 0;
  for (auto _ : state) {
    TraceReader reader({&file}, ReadOrder::time, static_cast<unsigned>(state.range(0)));
    while (const Record* record = reader.next()) unpacked += record->size_bytes;
  }
  state.SetBytesProcessed(unpacked);
}

void decode_to_tsv(benchmark::State& state, const std::vector<std::uint8_t>& bytes) {
  TraceFile file(bytes, "benchmark");
  std::int64_t events = 0;
  for (auto _ : state) {
    Decoder decoder;
    DumpOptions options;
    options.max_events = 500'000;
    std::size_t written = 0;
    dump_events({&file}, decoder, options, [&written](std::string_view text) {
      written += text.size();
      return true;
    });
    benchmark::DoNotOptimize(written);
    events += 500'000;
  }
  state.SetItemsProcessed(events);
}

void decode_switches_to_tsv(benchmark::State& state) {
  decode_to_tsv(state, large_switch_trace());
}

void decode_tracelogging_to_tsv(benchmark::State& state) {
  WriterOptions options;
  options.buffer_bytes = kBufferBytes;
  TraceWriter writer(options);
  MetadataBuilder metadata("Benchmark");
  metadata.field("text", 1).field("count", 8).field("address", 0x10).field("ratio", 0xC);
  EventRecord record;
  record.provider = *parse_guid("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  record.extended.emplace_back(std::uint16_t{0x0C}, provider_traits("Benchmark.Provider"));
  record.extended.emplace_back(std::uint16_t{0x0B}, metadata.bytes());
  for (std::uint32_t i = 0; i < 500'000; ++i) {
    record.time = options.start_raw + i;
    ByteBuilder payload;
    record.payload =
        payload.text16("a string").u32(i).u64(0x7FF612345678 + i).u64(0x4004000000000000).bytes();
    writer.add(static_cast<std::uint16_t>(i % kProcessors), event_record(record));
  }
  decode_to_tsv(state, writer.file());
}

BENCHMARK(memory_read)->Unit(benchmark::kMillisecond);
BENCHMARK(memory_copy)->Unit(benchmark::kMillisecond);
BENCHMARK(header_walk_switches)->Unit(benchmark::kMillisecond);
BENCHMARK(header_walk_events)->Unit(benchmark::kMillisecond);
BENCHMARK(merge_in_time_order)->Unit(benchmark::kMillisecond);
BENCHMARK(merge_and_cpu_accounting)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decompression, xpress, CompressionFormat::xpress);
BENCHMARK_CAPTURE(decompression, xpress_huffman, CompressionFormat::xpress_huffman);
BENCHMARK_CAPTURE(decompression, lznt1, CompressionFormat::lznt1);
BENCHMARK(decompress_in_parallel)
    ->ArgName("threads")
    ->DenseRange(1, static_cast<int>(default_helpers()) + 1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(read_compressed)
    ->ArgName("helpers")
    ->DenseRange(0, static_cast<int>(default_helpers()))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(decode_switches_to_tsv)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_tracelogging_to_tsv)->Unit(benchmark::kMillisecond);

// Decompresses real buffers from the samples' folder, which TAILGATE_ETL_SAMPLES names.
void decompression_of_samples(benchmark::State& state) {
  const char* folder = std::getenv("TAILGATE_ETL_SAMPLES");
  if (folder == nullptr) {
    state.SkipWithError("TAILGATE_ETL_SAMPLES is not set");
    return;
  }
  TraceFile file(std::filesystem::path(folder) / "net.4.5.2.x86.etl");
  std::vector<std::uint8_t> scratch;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    for (const BufferRef& buffer : file.buffers()) {
      bytes += static_cast<std::int64_t>(load_buffer(file, buffer, scratch).size());
    }
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(decompression_of_samples)->Unit(benchmark::kMillisecond);

}  // namespace
