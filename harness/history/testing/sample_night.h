// Documents of nights for tests and benchmarks. No figure in them was measured.
#pragma once

#include <cstdint>
#include <string>

#include "harness/histogram/histogram.h"
#include "harness/result/result.h"

namespace tailgate::history {

// By what the runs of a night differ.
struct SampleRun {
  std::string id = "run";
  std::string night = "2026-11-01";
  std::string fingerprint = "aaaaaaaaaaaaaaaa";
  std::string sink = "file";
  std::uint64_t seed = 1;
};

// Log-normal response times around 2 us; another seed gives others.
Histogram sample_responses(std::uint64_t seed);

// A run with one step, whose response times are sample_responses(seed).
Result sample_run(const SampleRun& sample);

}  // namespace tailgate::history
