// Constructs duets for tests and for the fixtures in results/. No figure in them was measured.
#pragma once

#include <cstdint>

#include "harness/result/duet.h"

namespace tailgate {

// How side B differs from side A, and how the rounds vary.
struct SampleDuet {
  unsigned rounds = 50;
  std::uint64_t seed = 1;
  double all = 1;        // factor on every time of B
  double tail = 1;       // factor on B's times from the 98.5th percentile up
  double cpu = 1;        // factor on B's processor time
  double memory = 1;     // factor on B's memory
  double spread = 0.01;  // standard deviation of a round's log ratio
  bool heavy = false;    // the rounds' ratios are heavy-tailed: Student's t, two degrees of freedom
};

// Constructs rounds of 20,000 calls per side around 2 us. The level varies from round to round by
// ten times the spread, equally for both sides. All rounds are completed and nothing is lost.
// Builds, sinks and loads are the same.
Duet sample_duet(const SampleDuet& sample = {});

}  // namespace tailgate
