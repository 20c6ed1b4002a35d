// The intervals of trials in bounded memory: where there are too many, neighbours are joined, so
// that a load of any duration has intervals of one length, a power of two times the one asked for.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

// How much memory the intervals take: those of one trial while it runs, those of one run's trials,
// and those of all runs of one command. A usual interval takes 6 to 10 KB, so a trial of a minute
// with intervals of 0.2 s takes 3 MB.
inline constexpr std::size_t kTrialIntervalBytes = 8'000'000;
inline constexpr std::size_t kRunIntervalBytes = 16'000'000;
inline constexpr std::size_t kAllIntervalBytes = 32'000'000;

// Returns both as one interval: the calls of both, what the roles used in both, memory levels at
// the end. b follows a. Throws Error like decode_latency.
Interval joined(const Interval& a, const Interval& b);

// About how much memory it takes.
std::size_t bytes_of(const Interval& interval);

class IntervalSeries {
 public:
  explicit IntervalSeries(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Adds the next interval, which begins where the last one ended. Joins at most two pairs of
  // intervals, so that it never takes long. If more than max_bytes are kept, the lengths double;
  // the memory stays within about twice that.
  void add(Interval interval);

  // Ends the series and returns its intervals. All have the same length, up to how exactly the cuts
  // were in time; the last one may be shorter.
  std::vector<Interval> take();

  // The intervals so far, in order; the older ones may be longer than the others.
  const std::vector<Interval>& so_far() const { return intervals_; }

  // The memory that they take now.
  std::size_t bytes() const { return bytes_; }

  // How many of the added intervals make one that is kept.
  unsigned joined_each() const { return joined_each_; }

 private:
  bool joining() const { return next_ < end_; }
  void join_next();

  std::size_t max_bytes_;
  std::vector<Interval> intervals_;
  std::size_t bytes_ = 0;
  unsigned joined_each_ = 1;
  unsigned in_last_ = 0;  // how many the last interval consists of; 0: it is complete
  // Of the intervals before the lengths doubled, [next_, end_) are still to be joined in pairs.
  std::size_t next_ = 0;
  std::size_t end_ = 0;
};

// Halves the number of intervals of the trials that have most, until all together take at most
// max_bytes, and leaves a remark in these trials.
void fit_intervals(std::vector<Trial>& trials, std::size_t max_bytes);

// The remark of a trial whose intervals were joined.
Remark joined_remark(const std::vector<Interval>& intervals);

}  // namespace tailgate
