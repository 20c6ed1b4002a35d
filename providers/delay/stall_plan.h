// Stalls at known times.
#pragma once

#include <cstdint>

namespace tailgate {

// Stalls lie on the run clock at origin + first + k * period, k = 0, 1, …, each length_ns long.
struct StallPlan {
  std::uint64_t length_ns = 0;  // 0: none
  std::uint64_t period_ns = 0;  // 0: one stall only
  std::uint64_t first_ns = 0;

  // The end of the stall that covers now_ns, or now_ns itself where none does.
  std::uint64_t release_ns(std::uint64_t origin_ns, std::uint64_t now_ns) const;
};

}  // namespace tailgate
