// Windows' performance counter as time.
#pragma once

#include <cstdint>

namespace tailgate {

// ns of that many ticks, of which hz make a second: above 0, below 10^10. Rounded down. Seconds
// apart from the rest, whose product with 10^9 stays within 64 bits.
inline std::uint64_t counter_ns(std::uint64_t ticks, std::uint64_t hz) {
  constexpr std::uint64_t kNsPerS = 1'000'000'000;
  return ticks / hz * kNsPerS + ticks % hz * kNsPerS / hz;
}

}  // namespace tailgate
