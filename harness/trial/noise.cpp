#include "harness/trial/noise.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/stats/pulse_train.h"
#include "harness/trial/driver.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kFloorEvents = 50'000;

constexpr std::uint64_t kShortestGapNs = 10'000;
// The search for a tick needs no more gaps.
constexpr std::size_t kMostGaps = 4096;
// Of kernels with 1000, 300, 250 and 100 ticks a second.
constexpr std::array<double, 4> kTickPeriodsNs = {1e6, 1e9 / 300, 4e6, 1e7};
// A tick is late by some microseconds, and its clock may gain as many on this one meanwhile.
constexpr double kTickWidthNs = 20'000;

void note_gap(NoiseBlock& noise, std::uint64_t gap_ns) {
  noise.max_gap_ns = std::max(noise.max_gap_ns, gap_ns);
  if (gap_ns <= kShortestGapNs) return;
  ++noise.gaps_over_10us;
  noise.lost_ns += gap_ns;
  if (gap_ns > 100'000) ++noise.gaps_over_100us;
  if (gap_ns > 1'000'000) ++noise.gaps_over_1ms;
}

// gaps: when they began. If there were too many, the last one that is known ends the search.
void find_ticks(NoiseBlock& noise, const std::vector<double>& gaps, double begin_ns,
                double end_ns) {
  const std::vector<PulseTrain> ticks =
      find_pulse_trains(gaps, {.begin = begin_ns,
                               .end = gaps.size() < kMostGaps ? end_ns : gaps.back(),
                               .periods = kTickPeriodsNs,
                               .width = kTickWidthNs,
                               .most_trains = noise.ticks.size()});
  std::copy(ticks.begin(), ticks.end(), noise.ticks.begin());
}

}  // namespace

double two_clock_reads_ns(const Clock& clock) {
  constexpr int kBatch = 100;
  std::array<double, 101> means{};
  for (double& mean : means) {
    const std::uint64_t first = clock.now_ns();
    for (int i = 0; i < kBatch; ++i) {
      clock.now_ns();
      clock.now_after_ns();
    }
    mean = static_cast<double>(clock.now_after_ns() - first) / kBatch;
  }
  std::nth_element(means.begin(), means.begin() + means.size() / 2, means.end());
  return means[means.size() / 2];
}

NoiseBlock observe_noise(const Clock& clock, std::uint64_t duration_ns) {
  NoiseBlock noise{};
  noise.processor = current_cpu();
  // When the first gaps began. Its pages exist before the loop, which a page fault would hold up.
  std::vector<double> gaps(kMostGaps);
  const std::uint64_t start_ns = clock.now_ns();
  std::uint64_t last_ns = start_ns;
  while (last_ns - start_ns < duration_ns) {
    const std::uint64_t now_ns = clock.now_ns();
    if (now_ns - last_ns > kShortestGapNs && noise.gaps_over_10us < kMostGaps) {
      gaps[noise.gaps_over_10us] = static_cast<double>(last_ns);
    }
    note_gap(noise, now_ns - last_ns);
    last_ns = now_ns;
  }
  noise.observed_ns = last_ns - start_ns;
  gaps.resize(std::min<std::size_t>(noise.gaps_over_10us, kMostGaps));
  find_ticks(noise, gaps, static_cast<double>(start_ns), static_cast<double>(last_ns));
  return noise;
}

FloorBlock measure_floor(const TrialPlan& plan, const SinkType& floor, HistogramWriter service) {
  LoadPlan load = plan.load;
  load.shape = Shape::max;
  load.burst_events = 0;
  load.threads = 1;
  load.warmup_s = 0;
  load.duration_s = 0;
  load.events = kFloorEvents;

  const Clock clock(plan.clock);
  const HistogramLayout layout = service.layout();
  std::vector<std::uint64_t> response(HistogramWriter::words(layout));
  std::vector<std::uint64_t> start_lag(HistogramWriter::words(layout));
  std::vector<SlowSlot> slowest(plan.slowest);
  const auto progress = std::make_unique<ThreadBlock>();
  const std::atomic<std::uint32_t> stop{0};
  const auto provider =
      floor.open_provider({.options = Options({}, "the measurement floor"), .clock = clock});

  const std::uint64_t start_ns = clock.now_ns();
  drive_load({.plan = load,
              .thread = 0,
              .run = plan.run,
              .encoding = EventEncoding::binary,
              .clock = clock,
              .start_ns = start_ns,
              .stop = stop},
             *provider,
             {.progress = *progress,
              .slowest = slowest.data(),
              .slowest_count = plan.slowest,
              .slowest_responses = nullptr,
              .slowest_responses_count = 0,
              .service = service,
              .response = HistogramWriter(layout, response.data()),
              .start_lag = HistogramWriter(layout, start_lag.data())});
  const std::uint64_t elapsed_ns = progress->last_end_ns.load() - start_ns;
  return {.loop_ns = static_cast<double>(elapsed_ns) / kFloorEvents,
          .two_clock_reads_ns = two_clock_reads_ns(clock)};
}

}  // namespace tailgate
