// Numbers of 64 bits, the lowest byte first: a version, then the state's figures as IEEE 754, at
// the end the window.
#include "harness/history/chart_state.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailgate::history {
namespace {

// Raise it when a chart's figures get another meaning: charts are then made again.
constexpr double kVersion = 1;
constexpr std::size_t kFigures = 5;  // with the version
constexpr std::size_t kNumberBytes = 8;
constexpr double kLargestNumber = 1e9;  // of a chart, whose values are logarithms

void put(std::string& bytes, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < kNumberBytes; ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> (8 * i)));
  }
}

std::vector<double> numbers_of(const std::string& bytes) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at + kNumberBytes <= bytes.size(); at += kNumberBytes) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kNumberBytes; ++i) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
    }
    numbers.push_back(std::bit_cast<double>(bits));
  }
  return numbers;
}

}  // namespace

Bytes encode_chart(const ChartState& state) {
  Bytes bytes;
  for (const double figure :
       {kVersion, state.older_nights, state.older_mean, state.variance, state.differences}) {
    put(bytes.data, figure);
  }
  for (const double night : state.window) put(bytes.data, night);
  return bytes;
}

std::optional<ChartState> decode_chart(const Bytes& bytes) {
  constexpr std::size_t kMostBytes = (kFigures + kChartWindow) * kNumberBytes;
  if (bytes.data.size() % kNumberBytes != 0 || bytes.data.size() > kMostBytes) return {};
  const std::vector<double> numbers = numbers_of(bytes.data);
  const bool usable = numbers.size() >= kFigures && numbers[0] == kVersion &&
                      std::all_of(numbers.begin(), numbers.end(),
                                  [](double number) { return std::abs(number) < kLargestNumber; });
  if (!usable) return {};
  ChartState state;
  state.older_nights = numbers[1];
  state.older_mean = numbers[2];
  state.variance = numbers[3];
  state.differences = numbers[4];
  state.window.assign(numbers.begin() + kFigures, numbers.end());
  const bool possible = state.older_nights >= 0 && state.variance >= 0 &&
                        state.differences >= static_cast<double>(state.window.size() > 1);
  return possible ? std::optional(state) : std::nullopt;
}

}  // namespace tailgate::history
