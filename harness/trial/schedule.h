// The intended time of each event. An open-loop schedule is fixed before the load starts, so a slow
// sink does not shift it; this keeps response times free of coordinated omission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/base/event.h"
#include "harness/trial/load.h"

namespace tailgate {

// The intended times of one load thread, in order. Not for Shape::max, whose times depend on the
// calls.
class Schedule {
 public:
  // start_ns: start of the warm-up on the run clock. Each of n threads has 1/n of the rate. In
  // steady and ramp the threads' times interleave evenly; in burst they coincide.
  Schedule(const LoadPlan& plan, unsigned thread, std::uint64_t start_ns);

  // Returns the next event's intended time, which never decreases. Allocates nothing.
  std::uint64_t next_ns();

  // Skips the events that are due before until_ns, and returns their number. However many they
  // are, it takes the same time: a schedule far beyond what a sink takes has billions of them. In
  // poisson their number is drawn at random as that of any such stretch, and depends on the seed.
  std::uint64_t skip_until(std::uint64_t until_ns);

  // The start of recording, which is the end of the warm-up.
  std::uint64_t record_start_ns() const { return record_start_ns_; }

 private:
  // Relative to start_ns_:
  double next_offset_ns();
  double offset_ns(std::uint64_t count) const;  // of any event; not in poisson
  double ramp_offset_ns(double event) const;
  double events_until(double offset_ns) const;  // about how many are due before; not in poisson
  std::uint64_t skip_poisson(double until_offset_ns);
  std::uint64_t random_bits();
  double uniform_random();  // in (0, 1]

  Shape shape_;
  std::uint64_t start_ns_;
  std::uint64_t record_start_ns_;
  double interval_ns_;        // between two events of this thread at the initial rate
  double phase_events_;       // this thread's offset within an interval, 0 to 1
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

// The limits at which a thread's load ends.
struct LoadLimits {
  std::uint64_t events = std::numeric_limits<std::uint64_t>::max();  // recorded events
  std::uint64_t intended_ns =
      std::numeric_limits<std::uint64_t>::max();  // events from here on are not issued
  std::uint64_t wall_ns = std::numeric_limits<std::uint64_t>::max();  // time at which to give up
  // Time at which to leave out the rest of the warm-up: at a rate far beyond what the sink can
  // take, the warm-up alone would last until wall_ns, and nothing would be measured.
  std::uint64_t warmup_wall_ns = std::numeric_limits<std::uint64_t>::max();
};

// record_start_ns: the end of the warm-up.
LoadLimits load_limits(const LoadPlan& plan, unsigned thread, std::uint64_t record_start_ns);

// Returns the sizes in bytes of one thread's events: event i has the size at i modulo the list's
// length. min_bytes: the smallest event of the encoding. Drawn at random from plan.seed and thread.
std::vector<std::uint16_t> payload_sizes(const LoadPlan& plan, unsigned thread,
                                         std::size_t min_bytes);

// In which a load thread builds its events.
struct EventBuffers {
  std::vector<std::byte> bytes;  // the bodies are there, the headers are not
  // From the buffer of an event to that of the next; 0: all share one. There are as many as sizes.
  std::size_t stride_bytes = 0;
};

EventBuffers event_buffers(const LoadPlan& plan, EventEncoding encoding);

// Returns the sum of the sizes of all expected events (expected_events) of all threads.
std::uint64_t expected_bytes(const LoadPlan& plan, std::size_t min_bytes);

// Returns the largest size that payload_sizes can return.
std::size_t max_payload_bytes(const LoadPlan& plan, std::size_t min_bytes);

}  // namespace tailgate
