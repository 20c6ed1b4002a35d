// Converts values of Windows' performance counter to nanoseconds.
#pragma once

#include <cstdint>

namespace tailgate {

// Returns ticks at hz ticks per second as nanoseconds, rounded down. hz: above 0 and below 10^10.
// Converts whole seconds separately, so that the product of the rest with 10^9 fits into 64 bits.
inline std::uint64_t counter_ns(std::uint64_t ticks, std::uint64_t hz) {
  constexpr std::uint64_t kNsPerS = 1'000'000'000;
  return ticks / hz * kNsPerS + ticks % hz * kNsPerS / hz;
}

}  // namespace tailgate
