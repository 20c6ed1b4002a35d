// How a result holds a distribution of durations.
#pragma once

#include <cstdint>
#include <string>

namespace tailgate {

// A distribution of durations, and its most used quantiles.
struct Latency {
  std::uint64_t count = 0;
  std::uint64_t min_ns = 0;
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p99_9_ns = 0;
  std::uint64_t p99_99_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t overflow = 0;
  std::string hdr;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("count", &Latency::count,
      "number of recorded values, including those above the histogram's range");
    v("min_ns", &Latency::min_ns, "smallest value, to the histogram's precision");
    v("mean_ns", &Latency::mean_ns, "arithmetic mean of the recorded values");
    v("p50_ns", &Latency::p50_ns, "median");
    v("p90_ns", &Latency::p90_ns, "90th percentile");
    v("p99_ns", &Latency::p99_ns, "99th percentile");
    v("p99_9_ns", &Latency::p99_9_ns, "99.9th percentile");
    v("p99_99_ns", &Latency::p99_99_ns, "99.99th percentile");
    v("max_ns", &Latency::max_ns, "largest value, to the histogram's precision");
    v("overflow", &Latency::overflow,
      "number of values above the histogram's range; they are counted at the range's end. If it is "
      "above zero, max_ns is a lower bound");
    v("hdr", &Latency::hdr,
      "the whole distribution: HdrHistogram V2 encoding, zlib-compressed, base64; unit ns");
  }
};

}  // namespace tailgate
