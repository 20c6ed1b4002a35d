// Duets by construction, for tests: no figure in them was measured.
#pragma once

#include <cstdint>

#include "harness/result/duet.h"

namespace tailgate {

// What side B differs by, and how the rounds vary.
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

// Rounds of 20,000 calls a side around 2 us whose level differs from round to round, for both sides
// alike, by ten times the spread; all completed, nothing lost. Builds, sinks and loads are the
// same.
Duet sample_duet(const SampleDuet& sample);

}  // namespace tailgate
