// HDR histograms: a writer for the emit path, and a value type for all evaluation.
//
//   HistogramWriter    records into words that someone else owns (shared memory)
//   snapshot           copies such words while the writer runs
//   IntervalSnapshots  the same, as what was recorded since the previous call
//   Histogram          a histogram as a value: quantiles, merge, subtract
//
// Every figure of a Histogram equals that of HdrHistogram's Java implementation for the same range
// and values. All values of a slot are equivalent: a quantile or maximum is the slot's highest
// value, a minimum its lowest, and sums use its middle value.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/histogram/histogram_layout.h"

namespace tailgate {

// Records values into `words(layout)` words of memory: one count per slot, then the count of values
// above the range (which readers add to the last slot).
//
// One thread writes; any number of threads or processes may read the words at the same time
// (snapshot). Recording a value increments one word, without a branch; readers compute total,
// minimum and maximum. So the words are consistent at every moment, and the writer may be killed at
// any time.
class HistogramWriter {
 public:
  // words: 8-byte aligned, all zero for an empty histogram; must outlive the writer.
  HistogramWriter(const HistogramLayout& layout, std::uint64_t* words)
      : layout_(layout), words_(words) {}

  static std::size_t words(const HistogramLayout& layout) { return layout.count_slots() + 1; }

  const HistogramLayout& layout() const { return layout_; }

  void record(std::uint64_t value) noexcept {
    const std::size_t slot = layout_.index_of(value);
    if (slot >= layout_.count_slots()) [[unlikely]] {
      increment(layout_.count_slots());
    } else {
      increment(slot);
    }
  }

 private:
  // With a single writer, a relaxed load and store lose no count and cost a third of a locked add.
  void increment(std::size_t word) noexcept {
    const std::atomic_ref<std::uint64_t> count(words_[word]);
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  HistogramLayout layout_;
  std::uint64_t* words_;
};

// A step of Histogram::percentiles().
struct PercentileStep {
  std::uint64_t value;          // highest value equivalent to the quantile's value
  double quantile;              // 0 to 1
  std::uint64_t count_to_here;  // number of recorded values at or below `value`
};

class Histogram {
 public:
  explicit Histogram(const HistogramLayout& layout) : layout_(layout) {}
  explicit Histogram(const HistogramRange& range) : layout_(range) {}

  // counts: by slot; slots beyond its end are empty. Throws Error if it has more slots than the
  // layout or sums to more than 2^63 - 1.
  Histogram(const HistogramLayout& layout, std::vector<std::uint64_t> counts);

  const HistogramLayout& layout() const { return layout_; }

  // Records a value `count` times. A value above highest_recordable() counts in the last slot and
  // in overflow_count(). Throws Error if the total would exceed 2^63 - 1.
  void record(std::uint64_t value, std::uint64_t count = 1);

  // Adds all values of another histogram. If its layout differs, each of its slots is recorded with
  // its lowest value, as HdrHistogram does. Throws like record(), and then changes nothing.
  void add(const Histogram& other);

  // Subtracts the counts of another histogram. Throws Error if the layouts differ or a count would
  // become negative, and then changes nothing.
  void subtract(const Histogram& other);

  std::uint64_t total_count() const { return total_count_; }

  // Number of values above the range. total_count() includes them, as the highest recordable value.
  // HdrHistogram's encodings do not contain this number, so encoding loses it.
  std::uint64_t overflow_count() const { return overflow_count_; }
  void set_overflow_count(std::uint64_t count) { overflow_count_ = count; }

  // Returns the value at or below which a fraction q of the recorded values lies. q is clamped to
  // 0..1; 0 returns the minimum. For an empty histogram this, min, max, mean and stddev are 0.
  std::uint64_t value_at_quantile(double q) const;
  std::uint64_t min() const;
  std::uint64_t max() const;
  double mean() const;
  double stddev() const;  // population standard deviation

  // Returns the number of recorded values in the slots from that of `low` to that of `high`, both
  // included (0 if high < low).
  std::uint64_t count_between(std::uint64_t low, std::uint64_t high) const;

  // Counts by slot, up to the highest slot with a value; the last element is not zero.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

  // Calls visit(lowest value, highest value, count) for each slot with values, in ascending order.
  template <typename Visit>
  void for_each_recorded(Visit visit) const {
    for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
      if (counts_[slot] != 0) {
        visit(layout_.lowest_equivalent(slot), layout_.highest_equivalent(slot), counts_[slot]);
      }
    }
  }

  // HdrHistogram's percentile iteration: ticks_per_half_distance steps from 0 to 50 %, the same
  // number from 50 to 75 %, and so on up to the highest value, which has quantile 1. Empty for an
  // empty histogram. Throws Error unless 1 <= ticks_per_half_distance <= 1000.
  std::vector<PercentileStep> percentiles(int ticks_per_half_distance) const;

  bool operator==(const Histogram&) const = default;

 private:
  void check_room(std::uint64_t count) const;

  HistogramLayout layout_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_count_ = 0;
  std::uint64_t overflow_count_ = 0;
};

// Copies the words of one or more HistogramWriters, as one histogram, while they record. The copy
// contains every value recorded before the call. A value recorded during the call is in this copy
// or in a later one.
Histogram snapshot(const HistogramLayout& layout, std::span<const std::uint64_t* const> writers);
Histogram snapshot(const HistogramLayout& layout, const std::uint64_t* words);

// Splits the values of one or more HistogramWriters into intervals; no value is lost or counted
// twice. Keeps one histogram, however many writers there are.
class IntervalSnapshots {
 public:
  // writers: the words of each, as for HistogramWriter. Values recorded already belong to the first
  // interval.
  IntervalSnapshots(const HistogramLayout& layout, std::vector<const std::uint64_t*> writers)
      : writers_(std::move(writers)), whole_(layout) {}

  // Returns the values recorded since the previous call.
  Histogram next();

  // The sum of all intervals so far.
  const Histogram& whole() const { return whole_; }

 private:
  std::vector<const std::uint64_t*> writers_;
  Histogram whole_;
};

}  // namespace tailgate
