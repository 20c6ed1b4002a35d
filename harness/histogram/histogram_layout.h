// The index arithmetic of an HDR histogram: which slot holds a value.
//
// The layout is HdrHistogram's (http://hdrhistogram.org). Values up to 2 * 10^digits have one slot
// per unit. Every further doubling of the value has `slots_per_doubling()` slots, each twice as
// wide as those of the previous doubling. So a slot is never wider than value / 10^digits, and
// quantiles and encodings equal those of HdrHistogram for the same range.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tailgate {

// The caller chooses the unit of values, usually nanoseconds.
struct HistogramRange {
  std::uint64_t lowest_discernible = 1;                  // rounded down to a power of two
  std::uint64_t highest_trackable = 3'600'000'000'000u;  // an hour in nanoseconds
  int significant_digits = 3;                            // 0 to 5

  bool operator==(const HistogramRange&) const = default;
};

class HistogramLayout {
 public:
  // Throws Error unless 1 <= lowest_discernible, 2 * lowest_discernible <= highest_trackable <
  // 2^63, 0 <= significant_digits <= 5 and the finest slots fit below 2^62.
  explicit HistogramLayout(const HistogramRange& range);

  const HistogramRange& range() const { return range_; }

  // At most 6.2 million (47 MiB of counts), for five digits from 1 to 2^63 - 1.
  std::size_t count_slots() const { return slots_; }

  // The highest value that has a slot: highest_trackable or slightly above it.
  std::uint64_t highest_recordable() const { return highest_equivalent(slots_ - 1); }

  std::uint64_t clamp(std::uint64_t value) const { return std::min(value, highest_recordable()); }

  // Returns the slot of a value, without a branch. For values above highest_recordable() the index
  // is at or above count_slots().
  std::size_t index_of(std::uint64_t value) const noexcept {
    const std::uint64_t bits = value | mask_;
    // mask_ is never zero; telling the compiler avoids a test.
    if (bits == 0) __builtin_unreachable();
    const auto top_bit = static_cast<std::uint64_t>(std::countl_zero(bits)) ^ 63u;
    return (value >> (top_bit - half_magnitude_)) + top_bit * slots_per_doubling_ - index_offset_;
  }

  // The numbers of index_of()'s formula, for writers in other languages: with top, the number of
  // the highest bit that is set in value | mask, the slot is (value >> (top - half_magnitude)) +
  // top * slots_per_doubling - offset.
  struct IndexFormula {
    std::uint64_t mask;
    std::uint64_t half_magnitude;
    std::uint64_t slots_per_doubling;
    std::uint64_t offset;
  };
  IndexFormula index_formula() const {
    return {mask_, half_magnitude_, slots_per_doubling_, index_offset_};
  }

  // The lowest and highest value of a slot. index < count_slots().
  std::uint64_t lowest_equivalent(std::size_t index) const noexcept {
    return offset_in_bucket(index) << bucket_shift(index);
  }
  std::uint64_t highest_equivalent(std::size_t index) const noexcept {
    return lowest_equivalent(index) + (slot_width(index) - 1);
  }
  // The value that represents the slot in sums (mean, standard deviation).
  std::uint64_t median_equivalent(std::size_t index) const noexcept {
    return lowest_equivalent(index) + slot_width(index) / 2;
  }

  // Number of doublings beyond the first 2 * slots_per_doubling() units that have slots, plus one.
  // HdrHistogram calls them buckets.
  std::size_t count_buckets() const { return (slots_ >> half_magnitude_) - 1; }
  std::size_t slots_per_doubling() const { return slots_per_doubling_; }

  bool operator==(const HistogramLayout& other) const { return range_ == other.range_; }

 private:
  std::size_t bucket(std::size_t index) const noexcept {
    const std::size_t doubling = index >> half_magnitude_;
    return doubling - (doubling != 0);  // the first bucket is twice as long as the others
  }
  std::uint64_t bucket_shift(std::size_t index) const noexcept {
    return bucket(index) + unit_magnitude_;
  }
  std::uint64_t offset_in_bucket(std::size_t index) const noexcept {
    return index - (bucket(index) << half_magnitude_);
  }
  std::uint64_t slot_width(std::size_t index) const noexcept {
    return std::uint64_t{1} << bucket_shift(index);
  }

  HistogramRange range_;
  std::uint64_t unit_magnitude_;  // log2 of the finest slot's width
  std::uint64_t half_magnitude_;  // log2 of slots_per_doubling_
  std::uint64_t slots_per_doubling_;
  std::uint64_t index_offset_;  // chosen so that value 0 has index 0
  std::uint64_t mask_;          // the bits of the first bucket's values above those of a unit
  std::size_t slots_;
};

}  // namespace tailgate
