// How long a verdict's statistics take: 12 metrics, up to 50 rounds, 16,384 patterns; of a resumed
// duet that shares its error with eight more up to 200 rounds and 1,048,576 patterns.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "harness/stats/sequential.h"

namespace tailgate {
namespace {

const Looks kLooks = {.rounds = {15, 25, 35, 50}, .false_fail = 0.001, .false_pass = 0.05};

std::vector<PairedMetric> metrics_at(double effect, int rounds = 50) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(effect, 0.05);
  std::vector<PairedMetric> metrics(12);
  for (PairedMetric& metric : metrics) {
    metric.margin = std::log(1.05);
    for (int round = 0; round < rounds; ++round) metric.effects.push_back(normal(random));
  }
  return metrics;
}

// An effect at the margin decides nothing: every look is made.
void all_looks(benchmark::State& state) {
  const std::vector<PairedMetric> metrics = metrics_at(std::log(1.05));
  for (auto _ : state) {
    const SequentialDecision decision = decide(metrics, kLooks);
    if (decision.rounds != 50) state.SkipWithError("decided before the last look");
    benchmark::DoNotOptimize(decision);
  }
}
BENCHMARK(all_looks)->Unit(benchmark::kMillisecond);

void resumed(benchmark::State& state) {
  Looks looks = kLooks.shared_by(9);
  looks.resumed = {100, 200};
  looks.resumed_share = 0.1;
  const std::vector<PairedMetric> metrics = metrics_at(std::log(1.05), 200);
  for (auto _ : state) benchmark::DoNotOptimize(decide(metrics, looks));
}
BENCHMARK(resumed)->Unit(benchmark::kMillisecond);

void first_look(benchmark::State& state) {
  const std::vector<PairedMetric> metrics = metrics_at(std::log(1.3));
  for (auto _ : state) benchmark::DoNotOptimize(decide(metrics, kLooks));
}
BENCHMARK(first_look)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tailgate
