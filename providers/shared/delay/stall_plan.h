// Stalls whose begin and end are known beforehand.
#pragma once

#include <cstdint>

namespace tailgate {

// Stall k = 0, 1, … begins at origin + first_ns + k * period_ns on the run clock and lasts
// length_ns.
struct StallPlan {
  std::uint64_t length_ns = 0;  // 0: none
  std::uint64_t period_ns = 0;  // 0: one stall only
  std::uint64_t first_ns = 0;

  // Returns the end of the stall that covers now_ns, or now_ns where no stall does.
  std::uint64_t release_ns(std::uint64_t origin_ns, std::uint64_t now_ns) const;
};

}  // namespace tailgate
