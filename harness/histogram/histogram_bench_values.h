// The input values of the histogram benchmarks, the same for every implementation.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tailgate::bench {

inline constexpr std::uint64_t lowest_ns = 1;
inline constexpr std::uint64_t highest_ns = 3'600'000'000'000;  // an hour
inline constexpr int digits = 3;

inline constexpr std::size_t stream_length = 16384;

// Typical latencies of loggers: a median of 1 us with a tail over several decades.
inline std::vector<std::uint64_t> log_normal_ns(std::size_t count) {
  std::mt19937_64 random(42);
  std::lognormal_distribution<double> distribution(std::log(1000.0), 1.5);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(distribution(random));
  return values;
}

// Values spread evenly over all slots, which defeats caches and branch prediction.
inline std::vector<std::uint64_t> log_uniform_ns(std::size_t count) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> exponent(0.0, std::log(3.6e12));
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values)
    value = static_cast<std::uint64_t>(std::exp(exponent(random)));
  return values;
}

inline std::vector<std::uint64_t> constant_ns(std::size_t count) {
  return std::vector<std::uint64_t>(count, 1234);
}

// The values to encode, by benchmark argument:
//   0: an interval of 1000 calls; 1: a trial of a million; 2: a million over the whole range
inline std::vector<std::uint64_t> codec_values_ns(std::int64_t which) {
  if (which == 0) return log_normal_ns(1000);
  return which == 1 ? log_normal_ns(1'000'000) : log_uniform_ns(1'000'000);
}

inline std::string codec_label(std::int64_t which) {
  if (which == 0) return "1000 log-normal values";
  return which == 1 ? "10^6 log-normal values" : "10^6 log-uniform values";
}

}  // namespace tailgate::bench
