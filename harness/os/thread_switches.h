// Counts a thread's voluntary and involuntary context switches.
#pragma once

#include <cstdint>
#include <optional>

namespace tailgate {

struct SwitchCounts {
  std::uint64_t voluntary = 0;    // it blocked or slept
  std::uint64_t involuntary = 0;  // it was preempted

  bool operator==(const SwitchCounts&) const = default;
};

// Returns the counts of the calling thread so far; nothing if the operating system does not count
// them per thread. Costs a system call.
std::optional<SwitchCounts> thread_switches();

}  // namespace tailgate
