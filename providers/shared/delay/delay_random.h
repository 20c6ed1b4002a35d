// Random numbers that repeat: two trials with the same seed draw the same sequence.
#pragma once

#include <cstdint>

namespace tailgate {

// The generator xorshift64* (Vigna 2016). splitmix64 mixes the seed, so that any two seeds give
// unrelated streams.
class DelayRandom {
 public:
  explicit DelayRandom(std::uint64_t seed);
  // Uniform in (0, 1].
  double next_unit();

 private:
  std::uint64_t state_;
};

}  // namespace tailgate
