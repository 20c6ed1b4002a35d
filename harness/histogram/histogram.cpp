#include "harness/histogram/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "harness/base/error.h"

namespace tailgate {
namespace {

// Encodings have signed 64-bit counts.
constexpr std::uint64_t highest_total = std::numeric_limits<std::int64_t>::max();

std::uint64_t load(const std::uint64_t* word) {
  // atomic_ref accepts no const object in C++20; a load does not write.
  return std::atomic_ref<std::uint64_t>(*const_cast<std::uint64_t*>(word))
      .load(std::memory_order_relaxed);
}

void trim(std::vector<std::uint64_t>& counts) {
  std::size_t used = counts.size();
  while (used > 0 && counts[used - 1] == 0) --used;
  counts.resize(used);
}

std::uint64_t sum_slots(const std::vector<std::uint64_t>& counts, std::size_t first,
                        std::size_t end) {
  std::uint64_t sum = 0;
  for (std::size_t slot = first; slot < std::min(end, counts.size()); ++slot) sum += counts[slot];
  return sum;
}

[[noreturn]] void throw_negative(std::uint64_t value, std::uint64_t count, std::uint64_t taken) {
  throw Error("cannot subtract " + std::to_string(taken) + " from the histogram's count " +
                  std::to_string(count) + " at value " + std::to_string(value),
              "subtract only what was added before");
}

}  // namespace

Histogram::Histogram(const HistogramLayout& layout, std::vector<std::uint64_t> counts)
    : layout_(layout), counts_(std::move(counts)) {
  if (counts_.size() > layout_.count_slots()) {
    throw Error(std::to_string(counts_.size()) + " counts exceed the histogram's " +
                    std::to_string(layout_.count_slots()) + " slots",
                "raise highest_trackable");
  }
  trim(counts_);
  // Sums the lower and upper halves of the counts separately: they cannot overflow, so the loop
  // needs no check per count.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (const std::uint64_t count : counts_) {
    low += count & 0xffff'ffff;
    high += count >> 32;
  }
  high += low >> 32;
  if (high > highest_total >> 32) {
    throw Error("the counts of the histogram add up to more than 2^63 - 1",
                "check where they come from");
  }
  total_count_ = high << 32 | (low & 0xffff'ffff);
}

void Histogram::check_room(std::uint64_t count) const {
  if (count > highest_total - total_count_) {
    throw Error("histogram total " + std::to_string(total_count_) + " + " + std::to_string(count) +
                    " exceeds 2^63 - 1",
                "merge fewer histograms");
  }
}

void Histogram::record(std::uint64_t value, std::uint64_t count) {
  if (count == 0) return;
  check_room(count);
  const std::size_t slot = layout_.index_of(layout_.clamp(value));
  if (slot >= counts_.size()) counts_.resize(slot + 1);
  counts_[slot] += count;
  total_count_ += count;
  if (value > layout_.highest_recordable()) overflow_count_ += count;
}

void Histogram::add(const Histogram& other) {
  check_room(other.total_count_);
  if (layout_ == other.layout_) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t slot = 0; slot < other.counts_.size(); ++slot) {
      counts_[slot] += other.counts_[slot];
    }
    total_count_ += other.total_count_;
    overflow_count_ += other.overflow_count_;
    return;
  }
  other.for_each_recorded(
      [this](std::uint64_t lowest, std::uint64_t, std::uint64_t count) { record(lowest, count); });
  // The other's last slot contains the values above its range. If that slot is above this range,
  // too, record() has already counted those values as overflow.
  const std::uint64_t other_last = other.layout_.lowest_equivalent(other.layout_.count_slots() - 1);
  if (other_last <= layout_.highest_recordable()) overflow_count_ += other.overflow_count_;
}

void Histogram::subtract(const Histogram& other) {
  if (!(layout_ == other.layout_)) {
    throw Error("cannot subtract a histogram of another range",
                "give both histograms the same range and digits");
  }
  for (std::size_t slot = 0; slot < other.counts_.size(); ++slot) {
    const std::uint64_t count = slot < counts_.size() ? counts_[slot] : 0;
    if (other.counts_[slot] > count) {
      throw_negative(layout_.lowest_equivalent(slot), count, other.counts_[slot]);
    }
  }
  if (other.overflow_count_ > overflow_count_) {
    throw_negative(layout_.highest_recordable() + 1, overflow_count_, other.overflow_count_);
  }
  total_count_ -= other.total_count_;
  overflow_count_ -= other.overflow_count_;
  for (std::size_t slot = other.counts_.size(); slot-- > 0;) counts_[slot] -= other.counts_[slot];
  trim(counts_);
}

std::uint64_t Histogram::value_at_quantile(double q) const {
  if (total_count_ == 0) return 0;
  if (!(q > 0.0)) return min();
  if (q >= 1.0) return max();  // for totals above 2^53 the rounding below would miss the maximum
  // HdrHistogram computes in percent, and subtracts one unit in the last place so that rounding of
  // the product below does not reach the next slot.
  const double percentile =
      std::min(std::nextafter(q * 100.0, -std::numeric_limits<double>::infinity()), 100.0);
  const double product = std::ceil(percentile * static_cast<double>(total_count_) / 100.0);
  const std::uint64_t wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(product));
  std::uint64_t below = 0;
  for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
    below += counts_[slot];
    if (below >= wanted) return layout_.highest_equivalent(slot);
  }
  return max();
}

std::uint64_t Histogram::min() const {
  for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] != 0) return layout_.lowest_equivalent(slot);
  }
  return 0;
}

std::uint64_t Histogram::max() const {
  return counts_.empty() ? 0 : layout_.highest_equivalent(counts_.size() - 1);
}

double Histogram::mean() const {
  if (total_count_ == 0) return 0.0;
  double sum = 0.0;
  for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
    sum +=
        static_cast<double>(layout_.median_equivalent(slot)) * static_cast<double>(counts_[slot]);
  }
  return sum / static_cast<double>(total_count_);
}

double Histogram::stddev() const {
  if (total_count_ == 0) return 0.0;
  const double center = mean();
  double sum = 0.0;
  for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
    const double deviation = static_cast<double>(layout_.median_equivalent(slot)) - center;
    sum += deviation * deviation * static_cast<double>(counts_[slot]);
  }
  return std::sqrt(sum / static_cast<double>(total_count_));
}

std::uint64_t Histogram::count_between(std::uint64_t low, std::uint64_t high) const {
  return sum_slots(counts_, layout_.index_of(low), layout_.index_of(layout_.clamp(high)) + 1);
}

std::vector<PercentileStep> Histogram::percentiles(int ticks_per_half_distance) const {
  if (ticks_per_half_distance < 1 || ticks_per_half_distance > 1000) {
    throw Error("ticks_per_half_distance = " + std::to_string(ticks_per_half_distance) +
                    " is outside 1 to 1000",
                "give 5 for HdrHistogram's default");
  }
  std::vector<PercentileStep> steps;
  double level = 0.0;  // in percent, like HdrHistogram, so that the levels are bitwise equal
  std::uint64_t below = 0;
  for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
    if (counts_[slot] == 0) continue;
    below += counts_[slot];
    const double reached = 100.0 * static_cast<double>(below) / static_cast<double>(total_count_);
    while (level < 100.0 && reached >= level) {
      steps.push_back({layout_.highest_equivalent(slot), level / 100.0, below});
      const double halvings = std::floor(std::log(100.0 / (100.0 - level)) / std::log(2.0));
      const double next = level + 100.0 / (ticks_per_half_distance * std::exp2(halvings + 1.0));
      level = next > level ? next : 100.0;  // a step too small for a double would loop forever
      if (below == total_count_) break;
    }
  }
  if (total_count_ != 0) steps.push_back({max(), 1.0, total_count_});
  return steps;
}

Histogram snapshot(const HistogramLayout& layout, std::span<const std::uint64_t* const> writers) {
  std::vector<std::uint64_t> counts(layout.count_slots());
  std::uint64_t overflow_count = 0;
  for (const std::uint64_t* words : writers) {
    for (std::size_t slot = 0; slot < counts.size(); ++slot) counts[slot] += load(words + slot);
    overflow_count += load(words + counts.size());
  }
  counts.back() += overflow_count;
  Histogram copy(layout, std::move(counts));
  copy.set_overflow_count(overflow_count);
  return copy;
}

Histogram snapshot(const HistogramLayout& layout, const std::uint64_t* words) {
  return snapshot(layout, std::span(&words, 1));
}

Histogram IntervalSnapshots::next() {
  Histogram interval = snapshot(whole_.layout(), writers_);
  Histogram whole = interval;
  interval.subtract(whole_);
  whole_ = std::move(whole);
  return interval;
}

}  // namespace tailgate
