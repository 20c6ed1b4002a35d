// How often a thread gave up its processor, and how often it was taken away.
#pragma once

#include <cstdint>
#include <optional>

namespace tailgate {

struct SwitchCounts {
  std::uint64_t voluntary = 0;    // it blocked or slept
  std::uint64_t involuntary = 0;  // it was preempted

  bool operator==(const SwitchCounts&) const = default;
};

// Of the calling thread so far. Nothing where the operating system does not count them by thread.
// Costs a system call.
std::optional<SwitchCounts> thread_switches();

}  // namespace tailgate
