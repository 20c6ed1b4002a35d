// HDR histograms: a writer for the measured path, and a value type for everything after it.
//
//   HistogramWriter    records into words that someone else owns (shared memory)
//   snapshot           copies such words while the writer runs
//   IntervalSnapshots  the same, as what was recorded since the previous call
//   Histogram          a histogram as a value: quantiles, merge, subtract
//
// Every figure a Histogram gives equals the one that HdrHistogram's Java implementation gives for
// the same range and values: values in one slot are equivalent, and a quantile or maximum is the
// highest of them, a minimum the lowest, a term of a mean the middle.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/histogram_layout.h"

namespace tailgate {

// Records values into `words(layout)` words of memory: a count for each slot, then a count of the
// values above the range (which readers add to the last slot).
//
// One thread writes; any number of threads or processes may read the words meanwhile (snapshot).
// Every value is one increment of one word, without a branch; total, minimum and maximum are left
// to the readers. So there is no moment at which the words are inconsistent, and a writer may be
// killed at any time.
class HistogramWriter {
 public:
  // words: 8-byte aligned, all zero for an empty histogram, outliving the writer.
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
  // With one writer a relaxed load and store lose nothing, and cost a third of a locked add.
  void increment(std::size_t word) noexcept {
    const std::atomic_ref<std::uint64_t> count(words_[word]);
    count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  HistogramLayout layout_;
  std::uint64_t* words_;
};

// A step of Histogram::percentiles().
struct PercentileStep {
  std::uint64_t value;          // highest value that is equivalent to the quantile's
  double quantile;              // 0 to 1
  std::uint64_t count_to_here;  // how many recorded values are at or below `value`
};

class Histogram {
 public:
  explicit Histogram(const HistogramLayout& layout) : layout_(layout) {}
  explicit Histogram(const HistogramRange& range) : layout_(range) {}

  // counts: by slot; slots beyond its end hold nothing. Throws Error when it is longer than the
  // layout or sums to more than 2^63 - 1.
  Histogram(const HistogramLayout& layout, std::vector<std::uint64_t> counts);

  const HistogramLayout& layout() const { return layout_; }

  // Counts a value `count` times. Above highest_recordable() it goes to the last slot and to
  // overflow_count(). Throws Error when the total would exceed 2^63 - 1.
  void record(std::uint64_t value, std::uint64_t count = 1);

  // Adds what another histogram holds. From a different layout each slot is recorded by its lowest
  // value, as HdrHistogram does. Throws as record(), and then changes nothing.
  void add(const Histogram& other);

  // Takes away what another histogram of the same layout holds. Throws Error when the layouts
  // differ or a count would become negative; this histogram is then unchanged.
  void subtract(const Histogram& other);

  std::uint64_t total_count() const { return total_count_; }

  // Values that lay above the range. They are in total_count() too, as the highest recordable one.
  // HdrHistogram's encodings have no place for it, so it does not survive them.
  std::uint64_t overflow_count() const { return overflow_count_; }
  void set_overflow_count(std::uint64_t count) { overflow_count_ = count; }

  // The value at or below which a fraction q of the recorded values lie; q is clamped to 0..1, and
  // 0 asks for the minimum. Of an empty histogram this, min, max, mean and stddev are 0.
  std::uint64_t value_at_quantile(double q) const;
  std::uint64_t min() const;
  std::uint64_t max() const;
  double mean() const;
  double stddev() const;  // of the recorded values as a whole population

  // How many recorded values are in the slots up to and including that of `value`, or in the slots
  // from that of `low` to that of `high`, both included (0 when high < low).
  std::uint64_t count_at_or_below(std::uint64_t value) const;
  std::uint64_t count_between(std::uint64_t low, std::uint64_t high) const;

  // Counts by slot, up to the highest slot that holds any; the last element is not zero.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

  // Calls visit(lowest value, highest value, count) for each slot that holds any, in rising order.
  template <typename Visit>
  void for_each_recorded(Visit visit) const {
    for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
      if (counts_[slot] != 0) {
        visit(layout_.lowest_equivalent(slot), layout_.highest_equivalent(slot), counts_[slot]);
      }
    }
  }

  // HdrHistogram's percentile iteration: ticks_per_half_distance steps from 0 to 50 %, as many from
  // there to 75 %, and so on to the highest value, which has quantile 1. Empty for an empty
  // histogram. Throws Error unless 1 <= ticks_per_half_distance <= 1000.
  std::vector<PercentileStep> percentiles(int ticks_per_half_distance) const;

  bool operator==(const Histogram&) const = default;

 private:
  void check_room(std::uint64_t count) const;

  HistogramLayout layout_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_count_ = 0;
  std::uint64_t overflow_count_ = 0;
};

// Copies a HistogramWriter's words while it runs. Every value recorded before the call is in the
// copy; each of those recorded during it is in this copy or in a later one.
Histogram snapshot(const HistogramLayout& layout, const std::uint64_t* words);

// Splits what a HistogramWriter records into intervals: no value is lost or counted twice.
class IntervalSnapshots {
 public:
  // words: as for HistogramWriter. What they hold already falls into the first interval.
  IntervalSnapshots(const HistogramLayout& layout, const std::uint64_t* words)
      : words_(words), whole_(layout) {}

  // What was recorded since the previous call.
  Histogram next();

  // The sum of all intervals so far.
  const Histogram& whole() const { return whole_; }

 private:
  const std::uint64_t* words_;
  Histogram whole_;
};

}  // namespace tailgate
