#include "providers/shared/delay/delay_random.h"

namespace tailgate {

DelayRandom::DelayRandom(std::uint64_t seed) {
  std::uint64_t mixed = seed + 0x9E3779B97F4A7C15ull;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
  mixed ^= mixed >> 31;
  state_ = mixed == 0 ? 1 : mixed;  // xorshift never leaves state 0
}

double DelayRandom::next_unit() {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  const std::uint64_t bits = (state_ * 0x2545F4914F6CDD1Dull) >> 11;
  return (static_cast<double>(bits) + 1.0) * 0x1p-53;
}

}  // namespace tailgate
