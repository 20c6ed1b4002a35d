#include "harness/os/clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "harness/os/affinity.h"
#include "harness/os/cpu_features.h"

namespace tailgate {
namespace {

using clock_detail::os_monotonic_ns;
using clock_detail::os_unix_ns;

// The same instant read from both clocks: a tick count between two OS clock reads, the closest pair
// of several attempts.
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

// Offset between the counters of two processors, measured like NTP does: the other processor reads
// its counter between two reads of this one. The shortest exchange gives the bound of the error.
struct Offset {
  double ticks = 0;
  double bound_ticks = 0;
};

Offset offset_between(const Clock& clock, int this_cpu, int other_cpu) {
  constexpr int kExchanges = 2000;
  std::atomic<int> exchange{0};
  std::atomic<std::uint64_t> answer{0};
  std::atomic<bool> give_up{false};
  std::thread other([&] {
    bind_this_thread({other_cpu});
    for (int number = 1; number <= kExchanges; ++number) {
      while (exchange.load(std::memory_order_acquire) != number) {
        if (give_up.load(std::memory_order_relaxed)) return;
      }
      answer.store(clock.ticks_after(), std::memory_order_release);
    }
  });
  bind_this_thread({this_cpu});
  Offset best{0, 1e18};
  const std::uint64_t deadline_ns = os_monotonic_ns() + 200'000'000;
  for (int number = 1; number <= kExchanges && os_monotonic_ns() < deadline_ns; ++number) {
    answer.store(0, std::memory_order_relaxed);
    const std::uint64_t before = clock.ticks_after();
    exchange.store(number, std::memory_order_release);
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

// Returns the largest offset between the first allowed processor and any other. If another
// processor does not answer in time, the bound keeps its huge initial value.
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

void set_frequency(ClockParameters& parameters, double ticks_per_ns) {
  parameters.multiplier = static_cast<std::uint64_t>(0x1p64 / ticks_per_ns);
  parameters.frequency_hz = ticks_per_ns * 1e9;
}

bool measure_tsc(ClockParameters& parameters) {
  parameters.kind = ClockKind::tsc;
  const Clock raw(parameters);
  const Bracket first = tightest_bracket(raw, 200);
  const Offset offset = worst_offset(raw);
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  const Bracket last = tightest_bracket(raw, 200);
  if (last.ticks <= first.ticks || last.os_ns <= first.os_ns) return false;

  const double elapsed_ns = static_cast<double>(last.os_ns - first.os_ns);
  const double ticks_per_ns = static_cast<double>(last.ticks - first.ticks) / elapsed_ns;
  if (ticks_per_ns <= 1) return false;  // the multiplier does not fit into 64 bits
  set_frequency(parameters, ticks_per_ns);
  parameters.error_ppm = static_cast<double>(first.width_ns + last.width_ns) / 2 / elapsed_ns * 1e6;
  parameters.cross_core_offset_ns = std::abs(offset.ticks) / ticks_per_ns;
  parameters.cross_core_bound_ns = offset.bound_ticks / ticks_per_ns;
  return std::abs(offset.ticks) <= offset.bound_ticks;
}

// Fills the parameters that every kind of clock has.
ClockParameters started(ClockParameters parameters) {
  const Clock clock(parameters);
  const Bracket zero = tightest_bracket(clock, 200);
  parameters.base_ticks = zero.ticks;
  parameters.base_unix_ns = os_unix_ns();
  parameters.read_cost_ns = median_read_cost_ns(Clock(parameters));
  return parameters;
}

}  // namespace

ClockParameters measure_clock(bool force_os_clock) {
  ClockParameters parameters;
  if (force_os_clock || !has_invariant_tsc() || !measure_tsc(parameters)) {
    parameters = ClockParameters{};
  }
  return started(parameters);
}

ClockParameters measure_monotonic_clock() {
  return started({.kind = ClockKind::monotonic});
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
  switch (kind) {
    case ClockKind::tsc:
      return "tsc";
    case ClockKind::os_monotonic:
      return "os_monotonic";
    case ClockKind::monotonic:
      return "monotonic";
  }
  throw std::logic_error("unknown kind of clock");
}

}  // namespace tailgate
