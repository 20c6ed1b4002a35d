#include "harness/histogram/histogram_layout.h"

#include <limits>
#include <string>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::uint64_t highest_value = std::numeric_limits<std::int64_t>::max();

// std::bit_width, whose return type differs between standard libraries.
std::uint64_t bit_width(std::uint64_t value) {
  return static_cast<std::uint64_t>(64 - std::countl_zero(value));
}

void validate(const HistogramRange& range) {
  if (range.significant_digits < 0 || range.significant_digits > 5) {
    throw Error("histogram significant_digits = " + std::to_string(range.significant_digits) +
                    " is outside 0 to 5",
                "give 3 for a resolution of 0.1 %");
  }
  if (range.lowest_discernible < 1 || range.lowest_discernible > highest_value / 2) {
    throw Error("histogram lowest_discernible = " + std::to_string(range.lowest_discernible) +
                    " is outside 1 to 2^62 - 1",
                "give 1 to tell every unit apart");
  }
  if (range.highest_trackable < 2 * range.lowest_discernible ||
      range.highest_trackable > highest_value) {
    throw Error("histogram highest_trackable = " + std::to_string(range.highest_trackable) +
                    " is outside 2 * lowest_discernible (" +
                    std::to_string(2 * range.lowest_discernible) + ") to 2^63 - 1",
                "give the largest value that you expect");
  }
}

// Returns log2 of the number of slots in the first bucket: one per unit up to 2 * 10^digits,
// rounded up to a power of two.
std::uint64_t first_bucket_magnitude(int significant_digits) {
  std::uint64_t finely_resolved = 2;
  for (int digit = 0; digit < significant_digits; ++digit) finely_resolved *= 10;
  return bit_width(finely_resolved - 1);
}

std::size_t buckets_to_cover(std::uint64_t value, std::uint64_t first_bucket_bits) {
  return std::max(bit_width(value), first_bucket_bits) - first_bucket_bits + 1;
}

}  // namespace

HistogramLayout::HistogramLayout(const HistogramRange& range) : range_(range) {
  validate(range);
  const std::uint64_t magnitude = first_bucket_magnitude(range.significant_digits);
  unit_magnitude_ = bit_width(range.lowest_discernible) - 1;
  if (magnitude + unit_magnitude_ > 62) {
    throw Error("histogram lowest_discernible = " + std::to_string(range.lowest_discernible) +
                    " leaves no room for " + std::to_string(range.significant_digits) +
                    " significant digits below 2^62",
                "lower lowest_discernible or significant_digits");
  }
  half_magnitude_ = static_cast<std::uint32_t>(magnitude - 1);
  slots_per_doubling_ = std::uint32_t{1} << half_magnitude_;
  mask_ = ((std::uint64_t{1} << magnitude) - 1) << unit_magnitude_;
  index_offset_ = static_cast<std::uint32_t>(magnitude - 1 + unit_magnitude_) * slots_per_doubling_;
  slots_ = (buckets_to_cover(range.highest_trackable, magnitude + unit_magnitude_) + 1) *
           slots_per_doubling_;
}

}  // namespace tailgate
