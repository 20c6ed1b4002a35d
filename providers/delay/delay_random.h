// Random numbers that are the same in every trial of one seed.
#pragma once

#include <cstdint>

namespace tailgate {

// xorshift64* (Vigna 2016), seeded through splitmix64 so that any two seeds give unrelated streams.
class DelayRandom {
 public:
  explicit DelayRandom(std::uint64_t seed);
  // Uniform in (0, 1].
  double next_unit();

 private:
  std::uint64_t state_;
};

}  // namespace tailgate
