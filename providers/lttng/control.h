// LTTng's own control library (liblttng-ctl), used where the session daemon is: the library knows
// the daemon by fixed paths only, so each call runs in a short-lived child process that enters the
// session's namespaces first.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tailgate::lttng_detail {

struct TracePlan {
  std::string buffers;  // the options' words
  std::string loss;
  std::string output;
  std::uint64_t subbuf_bytes = 0;
  std::uint64_t subbuf_count = 0;
  std::uint32_t switch_timer_us = 0;
  std::uint32_t read_timer_us = 0;
  std::filesystem::path folder;  // of the trace
};

// What the tracer counted, over all buffers of the session.
struct TraceCounts {
  std::uint64_t discarded_events = 0;
  std::uint64_t lost_packets = 0;  // overwritten before they were read
};

// A count of the session daemon without the wraps that there were not: when a stream's count goes
// down from one packet to the next, LTTng 2.13's consumer daemon takes it for a wrap of a 63-bit
// counter and adds 2^63. Seen at the highest rates; no real count has that bit.
constexpr std::uint64_t without_false_wraps(std::uint64_t count) {
  return count & ~(std::uint64_t{1} << 63);
}

class TraceControl {
 public:
  TraceControl(int namespace_pid, TracePlan plan)
      : namespace_pid_(namespace_pid), plan_(std::move(plan)) {}

  // Whether the session daemon answers.
  bool daemon_alive() const;

  // Creates the session with one channel and its event, and starts it. Throws Error.
  void start() const;

  // Stops it, waits for its data and takes the snapshot where that is the output. The session is
  // left to end with its daemon. Throws Error, also when that does not answer within the limit.
  TraceCounts stop(std::chrono::milliseconds limit) const;

 private:
  int namespace_pid_;
  TracePlan plan_;
};

// "2.13.9"
std::string control_library_version();

}  // namespace tailgate::lttng_detail
