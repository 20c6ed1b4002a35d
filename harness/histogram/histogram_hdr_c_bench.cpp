// Measures HdrHistogram_c with the values of histogram_bench.cpp. It has no public plain encoding.
#include <benchmark/benchmark.h>
#include <hdr/hdr_histogram.h>
#include <hdr/hdr_histogram_log.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "harness/histogram/histogram_bench_values.h"

// The library exports these two functions, but its installed headers do not declare them.
extern "C" int hdr_encode_compressed(hdr_histogram* histogram, std::uint8_t** bytes,
                                     std::size_t* size);
extern "C" int hdr_decode_compressed(std::uint8_t* bytes, std::size_t size,
                                     hdr_histogram** histogram);

namespace tailgate::bench {
namespace {

struct Close {
  void operator()(hdr_histogram* histogram) const { hdr_close(histogram); }
};
using HdrHistogram = std::unique_ptr<hdr_histogram, Close>;

HdrHistogram make_histogram() {
  hdr_histogram* histogram = nullptr;
  if (hdr_init(lowest_ns, highest_ns, digits, &histogram) != 0) std::abort();
  return HdrHistogram(histogram);
}

void hdr_c_record(benchmark::State& state, const std::vector<std::uint64_t>& stream) {
  const HdrHistogram histogram = make_histogram();
  for ([[maybe_unused]] auto iteration : state) {
    for (const std::uint64_t value : stream) {
      hdr_record_value(histogram.get(), static_cast<std::int64_t>(value));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));
  state.counters["per_value"] = benchmark::Counter(
      static_cast<double>(stream.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(hdr_c_record, log_normal, log_normal_ns(stream_length));
BENCHMARK_CAPTURE(hdr_c_record, log_uniform, log_uniform_ns(stream_length));
BENCHMARK_CAPTURE(hdr_c_record, constant, constant_ns(stream_length));

HdrHistogram codec_histogram(std::int64_t which) {
  HdrHistogram histogram = make_histogram();
  for (const std::uint64_t value : codec_values_ns(which)) {
    hdr_record_value(histogram.get(), static_cast<std::int64_t>(value));
  }
  return histogram;
}

std::string encode_compressed(hdr_histogram* histogram) {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  if (hdr_encode_compressed(histogram, &bytes, &size) != 0) std::abort();
  std::string encoded(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return encoded;
}

std::string encode_base64(hdr_histogram* histogram) {
  char* text = nullptr;
  if (hdr_log_encode(histogram, &text) != 0) std::abort();
  std::string encoded(text);
  std::free(text);
  return encoded;
}

template <typename Encode>
void hdr_c_encode(benchmark::State& state, Encode encode_one) {
  const HdrHistogram histogram = codec_histogram(state.range(0));
  std::size_t bytes = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const std::string encoded = encode_one(histogram.get());
    benchmark::DoNotOptimize(encoded.data());
    bytes = encoded.size();
  }
  state.SetLabel(codec_label(state.range(0)));
  state.counters["bytes"] = static_cast<double>(bytes);
}

void hdr_c_decode_compressed(benchmark::State& state) {
  std::string encoded = encode_compressed(codec_histogram(state.range(0)).get());
  for ([[maybe_unused]] auto iteration : state) {
    hdr_histogram* histogram = nullptr;
    if (hdr_decode_compressed(reinterpret_cast<std::uint8_t*>(encoded.data()), encoded.size(),
                              &histogram) != 0) {
      std::abort();
    }
    benchmark::DoNotOptimize(histogram->total_count);
    hdr_close(histogram);
  }
  state.SetLabel(codec_label(state.range(0)));
}

void hdr_c_decode_base64(benchmark::State& state) {
  std::string encoded = encode_base64(codec_histogram(state.range(0)).get());
  for ([[maybe_unused]] auto iteration : state) {
    hdr_histogram* histogram = nullptr;
    if (hdr_log_decode(&histogram, encoded.data(), encoded.size()) != 0) std::abort();
    benchmark::DoNotOptimize(histogram->total_count);
    hdr_close(histogram);
  }
  state.SetLabel(codec_label(state.range(0)));
}

BENCHMARK_CAPTURE(hdr_c_encode, compressed, encode_compressed)->DenseRange(0, 2);
BENCHMARK_CAPTURE(hdr_c_encode, base64, encode_base64)->DenseRange(0, 2);
BENCHMARK(hdr_c_decode_compressed)->DenseRange(0, 2);
BENCHMARK(hdr_c_decode_base64)->DenseRange(0, 2);

}  // namespace
}  // namespace tailgate::bench
