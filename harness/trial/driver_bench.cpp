// Measures the emit path's own cost: the loop with the null sink and two bare clock reads, and how
// exactly a spin-paced schedule starts its events.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/trial/driver.h"
#include "harness/trial/pacing.h"
#include "providers/testing/sinks.h"

namespace {

using namespace tailgate;

const Clock& run_clock() {
  static const Clock clock(measure_clock());
  return clock;
}

void two_clock_reads(benchmark::State& state) {
  const Clock clock = run_clock();
  for (auto _ : state) {
    benchmark::DoNotOptimize(clock.now_ns());
    benchmark::DoNotOptimize(clock.now_after_ns());
  }
}
BENCHMARK(two_clock_reads);

// The data of a load thread, in this process's memory.
class Bench {
 public:
  explicit Bench(const LoadPlan& plan)
      : plan_(plan),
        provider_(test_sinks().floor().open_provider(
            {.options = Options({}, "the benchmark"), .clock = run_clock()})),
        words_(3, std::vector<std::uint64_t>(HistogramWriter::words(layout_))),
        slowest_(16) {}

  void drive(EventEncoding encoding) {
    drive_load({.plan = plan_,
                .thread = 0,
                .run = 1,
                .encoding = encoding,
                .clock = run_clock(),
                .start_ns = run_clock().now_ns(),
                .stop = stop_},
               *provider_,
               {.progress = *progress_,
                .slowest = slowest_.data(),
                .slowest_count = 16,
                .slowest_responses = nullptr,
                .slowest_responses_count = 0,
                .service = HistogramWriter(layout_, words_[0].data()),
                .response = HistogramWriter(layout_, words_[1].data()),
                .start_lag = HistogramWriter(layout_, words_[2].data())});
  }

  Histogram start_lag() const { return snapshot(layout_, words_[2].data()); }

 private:
  LoadPlan plan_;
  HistogramLayout layout_{HistogramRange{}};
  std::unique_ptr<Provider> provider_;
  std::vector<std::vector<std::uint64_t>> words_;
  std::vector<SlowSlot> slowest_;
  std::unique_ptr<ThreadBlock> progress_ = std::make_unique<ThreadBlock>();
  const std::atomic<std::uint32_t> stop_{0};
};

void emit_loop(benchmark::State& state, EventEncoding encoding, double payload_bytes) {
  LoadPlan plan;
  plan.shape = Shape::max;
  plan.payload = {PayloadLaw::fixed, payload_bytes, 0};
  plan.warmup_s = 0;
  plan.duration_s = 0;
  plan.events = 1'000'000;  // preparing the load then costs below 0.1 ns per event
  Bench bench(plan);
  for (auto _ : state) bench.drive(encoding);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(plan.events));
  state.counters["time_per_event"] = benchmark::Counter(
      static_cast<double>(plan.events),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(emit_loop, binary_128_bytes, EventEncoding::binary, 128);
BENCHMARK_CAPTURE(emit_loop, text_128_bytes, EventEncoding::text, 128);

// A million events per second from one thread. A gap of the machine is not an error of the
// schedule, so events that start more than 5 us late, because of a gap or queued behind one, are
// counted separately.
void spin_paced_start_error(benchmark::State& state) {
  LoadPlan plan;
  plan.shape = Shape::steady;
  plan.pacing = Pacing::spin;
  plan.rate_hz = 1e6;
  plan.warmup_s = 0;
  plan.duration_s = 0.2;
  Histogram lag{HistogramRange{}};
  for (auto _ : state) {
    Bench bench(plan);
    bench.drive(EventEncoding::binary);
    lag.add(bench.start_lag());
  }
  constexpr std::uint64_t kLateNs = 5'000;
  const auto in_time = static_cast<double>(lag.count_between(0, kLateNs));
  const auto total = static_cast<double>(lag.total_count());
  const auto at = [&](double quantile) {
    return static_cast<double>(lag.value_at_quantile(quantile * in_time / total));
  };
  state.counters["start_error_p50_ns"] = at(0.5);
  state.counters["start_error_p99_ns"] = at(0.99);
  state.counters["start_error_p99_ns_with_gaps"] = static_cast<double>(lag.value_at_quantile(0.99));
  state.counters["late_by_gap_percent"] = 100 * (1 - in_time / total);
}
BENCHMARK(spin_paced_start_error)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
