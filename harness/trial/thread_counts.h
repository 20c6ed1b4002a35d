// Counts of a load thread while it runs, which may be read a moment apart from one another.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "harness/trial/trial_memory.h"

namespace tailgate {

inline std::uint64_t refusals_of(const ThreadBlock& thread) {
  std::uint64_t refused = 0;
  for (const std::atomic<std::uint64_t>& cause : thread.refused) refused += cause.load();
  return refused;
}

// from - what, 0 if that is below 0.
inline std::uint64_t at_least_zero(std::uint64_t from, std::uint64_t what) {
  return from - std::min(from, what);
}

}  // namespace tailgate
