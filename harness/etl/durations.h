// Durations added up: how many, how long in all, and their HDR histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "harness/histogram/histogram.h"

namespace tailgate::etl {

// Keeps only the histogram's slots that are in use: a report may have thousands of rows.
class Durations {
 public:
  // may_grow: whether a slot that is not in use yet may be; else such a duration is in no slot.
  void record(std::uint64_t duration_ns, bool may_grow = true);

  std::uint64_t count() const { return count_; }
  std::uint64_t total_ns() const { return total_ns_; }  // saturates
  std::uint64_t min_ns() const { return min_ns_; }
  std::uint64_t max_ns() const { return max_ns_; }
  double mean_ns() const;

  // Of the default range: to an hour, three digits.
  Histogram histogram() const;
  std::size_t slots() const { return slots_.size(); }
  std::uint64_t in_no_slot() const { return in_no_slot_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t total_ns_ = 0;
  std::uint64_t min_ns_ = 0;
  std::uint64_t max_ns_ = 0;
  std::uint64_t in_no_slot_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> slots_;
};

// stop - start, 0 when negative. Times of a damaged trace may be any.
inline std::uint64_t duration_between(std::int64_t start_ns, std::int64_t stop_ns) {
  return stop_ns <= start_ns
             ? 0
             : static_cast<std::uint64_t>(stop_ns) - static_cast<std::uint64_t>(start_ns);
}

}  // namespace tailgate::etl
