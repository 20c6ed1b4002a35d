// When each event is meant to happen. An open-loop schedule is fixed before the load starts: it
// does not slip when the sink is slow, which is what keeps response times free of coordinated
// omission.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trial/load.h"

namespace tailgate {

// The intended times of one load thread, in order. Not for Shape::max, whose times depend on the
// calls.
class Schedule {
 public:
  // start_ns: beginning of the warm-up on the run clock. Each of n threads offers 1/n of the rate;
  // in steady and ramp their times interleave evenly, bursts of all threads coincide.
  Schedule(const LoadPlan& plan, unsigned thread, std::uint64_t start_ns);

  // The next event's intended time; never decreases. Allocates nothing.
  std::uint64_t next_ns();

  // When recording starts: the end of the warm-up.
  std::uint64_t record_start_ns() const { return record_start_ns_; }

 private:
  double next_offset_ns();  // from the start
  double ramp_offset_ns(double event) const;
  double uniform_random();  // in (0, 1]

  Shape shape_;
  std::uint64_t start_ns_;
  std::uint64_t record_start_ns_;
  double interval_ns_;        // between two events of this thread at the initial rate
  double phase_events_;       // this thread's share of an interval, 0 to 1
  double rate_per_ns_;        // of this thread, at the start
  double slope_per_ns2_ = 0;  // ramp: change of that rate
  double warmup_ns_;
  double duration_ns_;
  double warmup_events_ = 0;  // ramp: events before the slope begins
  std::uint64_t burst_events_;
  double burst_gap_ns_;
  std::uint64_t count_ = 0;
  double poisson_ns_ = 0;
  std::uint64_t random_state_;
};

// Sizes in bytes of one thread's events: event i has the size at i modulo the list's length.
// min_bytes: the smallest event that the encoding holds. Drawn from plan.seed and thread.
std::vector<std::uint16_t> payload_sizes(const LoadPlan& plan, unsigned thread,
                                         std::size_t min_bytes);

// The sum of the sizes of all expected events (expected_events), all threads.
std::uint64_t expected_bytes(const LoadPlan& plan, std::size_t min_bytes);

// The largest event that payload_sizes can give.
std::size_t max_payload_bytes(const LoadPlan& plan, std::size_t min_bytes);

}  // namespace tailgate
