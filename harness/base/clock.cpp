#include "harness/base/clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "harness/base/affinity.h"
#include "harness/base/cpu_features.h"

namespace tailgate {
namespace {

using clock_detail::os_monotonic_ns;
using clock_detail::os_unix_ns;

// One instant read on both clocks: ticks between two OS reads that lie as close as could be had.
struct Bracket {
  std::uint64_t ticks;
  std::uint64_t os_ns;
  std::uint64_t width_ns;
};

Bracket tightest_bracket(const Clock& clock, int attempts) {
  Bracket best{0, 0, ~std::uint64_t{0}};
  for (int i = 0; i < attempts; ++i) {
    const std::uint64_t before_ns = os_monotonic_ns();
    const std::uint64_t ticks = clock.ticks_after();
    const std::uint64_t after_ns = os_monotonic_ns();
    if (after_ns - before_ns < best.width_ns) {
      best = {ticks, before_ns + (after_ns - before_ns) / 2, after_ns - before_ns};
    }
  }
  return best;
}

double median_read_cost_ns(const Clock& clock) {
  constexpr int kReads = 64;
  std::array<double, 101> batches{};
  for (double& batch : batches) {
    const std::uint64_t first = clock.now_ns();
    std::uint64_t last = first;
    for (int i = 0; i < kReads; ++i) last = clock.now_ns();
    batch = static_cast<double>(last - first) / kReads;
  }
  std::nth_element(batches.begin(), batches.begin() + batches.size() / 2, batches.end());
  return batches[batches.size() / 2];
}

// Offset of the other processor's counter against this one's, by the exchange that NTP uses: the
// other reads its counter between two reads of ours. The narrowest exchange bounds the error.
struct Offset {
  double ticks = 0;
  double bound_ticks = 0;
};

Offset offset_between(const Clock& clock, int this_cpu, int other_cpu) {
  constexpr int kRounds = 2000;
  std::atomic<int> turn{0};
  std::atomic<std::uint64_t> answer{0};
  std::atomic<bool> give_up{false};
  std::thread other([&] {
    bind_this_thread({other_cpu});
    for (int round = 1; round <= kRounds; ++round) {
      while (turn.load(std::memory_order_acquire) != round) {
        if (give_up.load(std::memory_order_relaxed)) return;
      }
      answer.store(clock.ticks_after(), std::memory_order_release);
    }
  });
  bind_this_thread({this_cpu});
  Offset best{0, 1e18};
  const std::uint64_t deadline_ns = os_monotonic_ns() + 200'000'000;
  for (int round = 1; round <= kRounds && os_monotonic_ns() < deadline_ns; ++round) {
    answer.store(0, std::memory_order_relaxed);
    const std::uint64_t before = clock.ticks_after();
    turn.store(round, std::memory_order_release);
    std::uint64_t theirs = 0;
    while ((theirs = answer.load(std::memory_order_acquire)) == 0 &&
           os_monotonic_ns() < deadline_ns) {
    }
    if (theirs == 0) break;
    const std::uint64_t after = clock.ticks_after();
    const double bound = static_cast<double>(after - before) / 2;
    if (bound < best.bound_ticks) {
      best = {static_cast<double>(theirs - before) - bound, bound};
    }
  }
  give_up.store(true);
  other.join();
  return best;
}

// Largest offset from the first allowed processor to any other. A counter that another core's
// thread never answered for within the time leaves the bound at its start value: not to be trusted.
Offset worst_offset(const Clock& clock) {
  const std::vector<int> cpus = allowed_cpus();
  const ScopedAffinity restore;
  Offset worst;
  for (std::size_t i = 1; i < cpus.size() && i < 64; ++i) {
    const Offset offset = offset_between(clock, cpus.front(), cpus[i]);
    if (std::abs(offset.ticks) >= std::abs(worst.ticks)) worst.ticks = offset.ticks;
    worst.bound_ticks = std::max(worst.bound_ticks, offset.bound_ticks);
  }
  return worst;
}

void set_frequency(ClockCalibration& calibration, double ticks_per_ns) {
  calibration.multiplier = static_cast<std::uint64_t>(0x1p64 / ticks_per_ns);
  calibration.frequency_hz = ticks_per_ns * 1e9;
}

bool calibrate_tsc(ClockCalibration& calibration) {
  calibration.kind = ClockKind::tsc;
  const Clock raw(calibration);
  const Bracket first = tightest_bracket(raw, 200);
  const Offset offset = worst_offset(raw);
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  const Bracket last = tightest_bracket(raw, 200);
  if (last.ticks <= first.ticks || last.os_ns <= first.os_ns) return false;

  const double elapsed_ns = static_cast<double>(last.os_ns - first.os_ns);
  const double ticks_per_ns = static_cast<double>(last.ticks - first.ticks) / elapsed_ns;
  if (ticks_per_ns <= 1) return false;  // 64 bits do not hold the multiplier
  set_frequency(calibration, ticks_per_ns);
  calibration.error_ppm =
      static_cast<double>(first.width_ns + last.width_ns) / 2 / elapsed_ns * 1e6;
  calibration.cross_core_offset_ns = std::abs(offset.ticks) / ticks_per_ns;
  calibration.cross_core_bound_ns = offset.bound_ticks / ticks_per_ns;
  return std::abs(offset.ticks) <= offset.bound_ticks;
}

}  // namespace

ClockCalibration calibrate_clock(bool force_os_clock) {
  ClockCalibration calibration;
  if (force_os_clock || !has_invariant_tsc() || !calibrate_tsc(calibration)) {
    calibration = ClockCalibration{};
  }
  const Clock clock(calibration);
  const Bracket zero = tightest_bracket(clock, 200);
  calibration.base_ticks = zero.ticks;
  calibration.base_unix_ns = os_unix_ns();
  calibration.read_cost_ns = median_read_cost_ns(Clock(calibration));
  return calibration;
}

DriftMeter::DriftMeter(const Clock& clock) : clock_(clock) {
  const Bracket now = tightest_bracket(clock, 50);
  start_run_ns_ = clock.ns_from_ticks(now.ticks);
  start_monotonic_ns_ = now.os_ns;
  start_unix_ns_ = os_unix_ns();
}

ClockDrift DriftMeter::read() const {
  const Bracket now = tightest_bracket(clock_, 50);
  const std::int64_t unix_ns = os_unix_ns();
  const auto run = static_cast<double>(clock_.ns_from_ticks(now.ticks) - start_run_ns_);
  const auto monotonic = static_cast<double>(now.os_ns - start_monotonic_ns_);
  const auto real = static_cast<double>(unix_ns - start_unix_ns_);
  if (monotonic <= 0 || real <= 0) return {};
  return {.against_monotonic_ppm = (run / monotonic - 1) * 1e6,
          .against_realtime_ppm = (run / real - 1) * 1e6,
          .elapsed_s = monotonic / 1e9};
}

std::string_view clock_kind_name(ClockKind kind) {
  return kind == ClockKind::tsc ? "tsc" : "os_monotonic";
}

}  // namespace tailgate
