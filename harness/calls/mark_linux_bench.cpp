// What a pair of marks costs, beside two bare reads of the same clock.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "harness/calls/call_memory.h"

namespace {

using namespace tailgate;

void bm_two_clock_reads(benchmark::State& state) {
  const Clock clock(measure_clock());
  for (auto _ : state) {
    benchmark::DoNotOptimize(clock.ticks());
    benchmark::DoNotOptimize(clock.ticks_after());
  }
}

void bm_pair_of_marks(benchmark::State& state) {
  static const CallMemory memory({.threads = 4, .slowest = 16, .clock = measure_clock()});
  setenv(TAILGATE_MARK_VARIABLE, memory.path().c_str(), 1);
  for (auto _ : state) {
    const tailgate_mark mark = tailgate_mark_begin(0);
    benchmark::ClobberMemory();
    tailgate_mark_end(mark);
  }
  if (memory.counts().finished == 0) state.SkipWithError("nothing was recorded");
}

}  // namespace

BENCHMARK(bm_two_clock_reads);
BENCHMARK(bm_pair_of_marks);
