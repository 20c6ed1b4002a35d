// Calls LTTng's control library (liblttng-ctl). The library finds the session daemon by fixed paths
// only, so each call runs in a short-lived child process that first enters the session's
// namespaces.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tailgate::lttng_detail {

struct TracePlan {
  std::string session = "tailgate";  // its name, in its daemon
  std::string buffers;               // the values of the sink's options
  std::string loss;
  std::string output;
  std::uint64_t subbuf_bytes = 0;
  std::uint64_t subbuf_count = 0;
  std::uint32_t switch_timer_us = 0;
  std::uint32_t read_timer_us = 0;
  std::uint64_t file_bytes = 0;   // of a trace file; 0: no limit
  std::uint64_t files_count = 0;  // of each CPU; 0: no limit
  bool of_one_process = false;    // records only the events of the process that is given to track()
  std::filesystem::path folder;   // where the trace goes
};

// The tracer's counts, summed over all buffers of the session.
struct TraceCounts {
  std::uint64_t discarded_events = 0;
  std::uint64_t lost_packets = 0;  // overwritten before they were read
};

// Corrects a count of the session daemon for wraps that never happened. When a stream's count
// decreases from one packet to the next, the consumer daemon of LTTng 2.13 assumes that a 63-bit
// counter wrapped and adds 2^63. Seen at the highest rates; no real count has that bit.
constexpr std::uint64_t without_false_wraps(std::uint64_t count) {
  return count & ~(std::uint64_t{1} << 63);
}

class TraceControl {
 public:
  TraceControl(int namespace_pid, TracePlan plan)
      : namespace_pid_(namespace_pid), plan_(std::move(plan)) {}

  // Whether the session daemon answers.
  bool daemon_alive() const;

  // Creates and starts the session, with one channel and its event. Throws Error.
  void start() const;

  // From now on records the events of that process. Throws Error.
  void track(int pid) const;

  // Disables the event, or enables it again, in the running session; the daemon has told the
  // programs when this returns. Throws Error.
  void listen(bool on) const;

  // Moves the trace files that there are into a folder of their own, and begins new ones. Throws
  // Error.
  void rotate() const;

  // Stops the session, waits until its data is written and, with output=snapshot, records the
  // snapshot. The session itself ends with its daemon. Throws Error; also when the daemon does not
  // answer within the limit.
  TraceCounts stop(std::chrono::milliseconds limit) const;

 private:
  int namespace_pid_;
  TracePlan plan_;
};

// For example "2.13.9".
std::string control_library_version();

}  // namespace tailgate::lttng_detail
