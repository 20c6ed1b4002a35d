// Measures the cost of recording and encoding. If HdrHistogram_c was found, the same program
// measures that, too (histogram_hdr_c_bench.cpp); compare figures of one run only.
#include "harness/histogram/histogram.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "harness/histogram/histogram_bench_values.h"
#include "harness/histogram/histogram_codec.h"

namespace tailgate::bench {
namespace {

const HistogramLayout layout({lowest_ns, highest_ns, digits});

void record(benchmark::State& state, const std::vector<std::uint64_t>& stream) {
  std::vector<std::uint64_t> words(HistogramWriter::words(layout));
  HistogramWriter writer(layout, words.data());
  for ([[maybe_unused]] auto iteration : state) {
    for (const std::uint64_t value : stream) writer.record(value);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));
  state.counters["per_value"] = benchmark::Counter(
      static_cast<double>(stream.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(record, log_normal, log_normal_ns(stream_length));
BENCHMARK_CAPTURE(record, log_uniform, log_uniform_ns(stream_length));
BENCHMARK_CAPTURE(record, constant, constant_ns(stream_length));

Histogram codec_histogram(std::int64_t which) {
  Histogram histogram(layout);
  for (const std::uint64_t value : codec_values_ns(which)) histogram.record(value);
  return histogram;
}

template <typename Encode>
void encode(benchmark::State& state, Encode encode_one) {
  const Histogram histogram = codec_histogram(state.range(0));
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const std::string encoded = encode_one(histogram);
    benchmark::DoNotOptimize(encoded.data());
    bytes = encoded.size();
  }
  state.SetLabel(codec_label(state.range(0)));
  state.counters["bytes"] = static_cast<double>(bytes);
}

template <typename Encode>
void decode_from(benchmark::State& state, Encode encode_one) {
  const std::string encoded = encode_one(codec_histogram(state.range(0)));
  for ([[maybe_unused]] auto iteration : state) {
    const Histogram histogram = decode(encoded);
    benchmark::DoNotOptimize(histogram.total_count());
  }
  state.SetLabel(codec_label(state.range(0)));
}

BENCHMARK_CAPTURE(encode, plain, encode_v2)->DenseRange(0, 2);
BENCHMARK_CAPTURE(encode, compressed, encode_v2_compressed)->DenseRange(0, 2);
BENCHMARK_CAPTURE(encode, base64, encode_v2_base64)->DenseRange(0, 2);
BENCHMARK_CAPTURE(decode_from, plain, encode_v2)->DenseRange(0, 2);
BENCHMARK_CAPTURE(decode_from, compressed, encode_v2_compressed)->DenseRange(0, 2);
BENCHMARK_CAPTURE(decode_from, base64, encode_v2_base64)->DenseRange(0, 2);

}  // namespace
}  // namespace tailgate::bench
