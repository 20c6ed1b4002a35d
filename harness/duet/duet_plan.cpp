#include "harness/duet/duet_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr double kSliceS = 0.02;
constexpr double kDrainedSliceS = 0.05;
constexpr double kSideS = 1.0;  // of load for each side in a round
// Less where barriers take time, too, so that the gate's fifty rounds fit into two minutes.
constexpr double kDrainedSideS = 0.9;
constexpr double kLeastEvents = 200;
constexpr double kLeastBursts = 4;
constexpr unsigned kLeastSlices = 4;
constexpr unsigned kMostSlices = 50;
constexpr double kMostSlicesAsked = 10'000;
constexpr double kMostCalls = 2'000'000;  // 64 MB of log
constexpr double kMostCallsClosedLoop =
    1e6;  // a slice of a closed loop ends when its share is full

double rate_hz(const LoadPlan& load) {
  if (load.shape == Shape::burst) return static_cast<double>(load.burst_events) / load.burst_gap_s;
  return load.rate_hz;
}

double slice_s(const LoadPlan& load, bool drained, const SliceWishes& wishes) {
  if (wishes.slice_ms) return *wishes.slice_ms / 1e3;
  double length_s = drained ? kDrainedSliceS : kSliceS;
  if (load.shape == Shape::max) return length_s;
  length_s = std::max(length_s, kLeastEvents / rate_hz(load));
  if (load.shape == Shape::burst) {
    length_s = std::max(length_s, kLeastBursts * load.burst_gap_s);
    length_s = std::ceil(length_s / load.burst_gap_s - 1e-9) * load.burst_gap_s;
  }
  return length_s;
}

unsigned slice_count(double length_s, bool drained, const SliceWishes& wishes) {
  if (wishes.slices) return *wishes.slices;
  const double wanted = std::round((drained ? kDrainedSideS : kSideS) / length_s);
  return static_cast<unsigned>(std::clamp<double>(wanted, kLeastSlices, kMostSlices));
}

void check_can_be_cut(const LoadPlan& load) {
  if (load.threads != 1) {
    throw Error(fmt::format("a duet loads from one thread a side, threads = {}", load.threads),
                "set threads=1; compare more threads with 'tailgate run'");
  }
  if (load.shape == Shape::ramp) {
    throw Error("a ramp cannot be cut into slices that are alike",
                "compare steady rates: scenario steady or burst");
  }
}

}  // namespace

SlicePlan plan_slices(const LoadPlan& load, bool drained, const SliceWishes& wishes) {
  check_can_be_cut(load);
  const double length_s = slice_s(load, drained, wishes);
  const unsigned count = slice_count(length_s, drained, wishes);
  const bool closed_loop = load.shape == Shape::max;
  const double events = closed_loop ? kMostCallsClosedLoop / count : rate_hz(load) * length_s;
  if (events < 2.0 * kDroppedPerSlice) {
    throw Error(fmt::format("a slice of {:.4g} ms holds {:.3g} events, of which the first {} are "
                            "left out",
                            length_s * 1e3, events, kDroppedPerSlice),
                "make slices longer with --slice-ms, or raise rate_hz");
  }
  // By chance a Poisson slice holds more than its mean: five standard deviations. Rounding may let
  // one more burst in.
  const double more = 5 * std::sqrt(events) + 2 + static_cast<double>(load.burst_events);
  const double room = closed_loop ? kMostCallsClosedLoop : count * (events + more);
  if (room > kMostCalls || count > kMostSlicesAsked) {
    throw Error(fmt::format("{} slices of {:.3g} events are more than a round may hold ({:.3g})",
                            count, events, kMostCalls),
                "use fewer or shorter slices (--slices, --slice-ms), or a lower rate_hz");
  }
  return {.count = count + wishes.warmup_slices,
          .warmup = wishes.warmup_slices,
          .length_ns = static_cast<std::uint64_t>(std::llround(length_s * 1e9)),
          .max_calls = static_cast<std::uint64_t>(room)};
}

SlicePlan common_slices(const LoadPlan& a, const LoadPlan& b, bool drained,
                        const SliceWishes& wishes) {
  const SlicePlan for_a = plan_slices(a, drained, wishes);
  const SlicePlan for_b = plan_slices(b, drained, wishes);
  SliceWishes common = wishes;
  common.slice_ms = static_cast<double>(std::max(for_a.length_ns, for_b.length_ns)) / 1e6;
  common.slices = std::min(for_a.count, for_b.count) - wishes.warmup_slices;
  SlicePlan plan = plan_slices(a, drained, common);
  plan.max_calls = std::max(plan.max_calls, plan_slices(b, drained, common).max_calls);
  return plan;
}

LoadPlan load_in_slices(LoadPlan load, const SlicePlan& slices) {
  const double length_s = static_cast<double>(slices.length_ns) / 1e9;
  load.warmup_s = slices.warmup * length_s;
  load.duration_s = (slices.count - slices.warmup) * length_s;
  load.events = 0;
  return load;
}

RoundOrder round_order(std::uint64_t seed, unsigned round, unsigned slices, unsigned warmup) {
  // Its output is the same everywhere (the C++ standard fixes it), as are single bits of it.
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(round)};
  std::mt19937_64 random(sequence);
  const auto coin = [&random] { return (random() >> 63) != 0; };
  RoundOrder order;
  order.a_first = coin();
  for (unsigned i = 0; i < warmup; ++i) order.warmup += coin() ? "AB" : "BA";
  for (unsigned i = 0; i < slices; ++i) order.slices += coin() ? "AB" : "BA";
  return order;
}

}  // namespace tailgate
