#include "harness/duet/side_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "harness/base/histogram.h"
#include "harness/result/latency.h"
#include "harness/trial/slices.h"

namespace tailgate {
namespace {

constexpr double kTrimmedShare = 0.99;
constexpr double kRateTolerance = 1.01;

// Carry-over is looked for in the first part of each slice; fewer calls than this on either hand
// say nothing.
constexpr double kBeginningShare = 0.25;
constexpr std::size_t kLeastBeginningCalls = 50;

std::uint64_t service_of(const CallRecord& call) {
  return call.end_ns - call.start_ns;
}

// The calls of one slice, with what comes of them.
struct Slice {
  std::span<const CallRecord> calls;
  std::vector<std::uint64_t> service_ns;   // classified
  std::vector<std::uint64_t> response_ns;  // classified
  std::size_t first = 0;                   // that is not dropped
};

std::vector<Slice> split(std::span<const CallRecord> calls, unsigned dropped) {
  std::vector<Slice> slices;
  while (!calls.empty()) {
    const auto other = std::find_if(calls.begin(), calls.end(), [&](const CallRecord& call) {
      return call.slice != calls.front().slice;
    });
    const auto count = static_cast<std::size_t>(other - calls.begin());
    Slice slice;
    slice.calls = calls.first(count);
    slice.first = std::min<std::size_t>(dropped, count);
    slices.push_back(slice);
    calls = calls.subspan(count);
  }
  return slices;
}

std::uint64_t raw_median(const std::vector<Slice>& slices) {
  std::vector<std::uint64_t> all;
  for (const Slice& slice : slices) {
    for (const CallRecord& call : slice.calls.subspan(slice.first)) all.push_back(service_of(call));
  }
  return lower_median(std::move(all));
}

void classify(Slice& slice, std::uint64_t median_ns, bool closed_loop) {
  std::vector<std::uint64_t> due_ns;
  for (const CallRecord& call : slice.calls) {
    due_ns.push_back(call.intended_ns);
    slice.service_ns.push_back(call.kind == CallKind::preempted ? median_ns : service_of(call));
  }
  slice.response_ns =
      closed_loop ? slice.service_ns : lindley_response_ns(due_ns, slice.service_ns);
}

void count_kinds(const Slice& slice, DuetSide& side) {
  for (const CallRecord& call : slice.calls.subspan(slice.first)) {
    side.slow += service_of(call) > kSlowCallNs ? 1 : 0;
    side.preempted += call.kind == CallKind::preempted ? 1 : 0;
    side.blocked += call.kind == CallKind::blocked ? 1 : 0;
  }
}

void add_distributions(const std::vector<Slice>& slices, const FiguresPlan& plan, DuetSide& side) {
  Histogram service(plan.range);
  Histogram response(plan.range);
  Histogram raw_service(plan.range);
  Histogram raw_response(plan.range);
  std::vector<std::uint64_t> all;
  for (const Slice& slice : slices) {
    for (std::size_t i = slice.first; i < slice.calls.size(); ++i) {
      const CallRecord& call = slice.calls[i];
      service.record(slice.service_ns[i]);
      response.record(slice.response_ns[i]);
      raw_service.record(service_of(call));
      raw_response.record(call.end_ns - call.intended_ns);
      all.push_back(slice.service_ns[i]);
      side.over_100us += slice.service_ns[i] > 100'000 ? 1 : 0;
      side.over_1ms += slice.service_ns[i] > 1'000'000 ? 1 : 0;
    }
  }
  side.service = make_latency(service);
  side.response = make_latency(response);
  side.raw_service = make_latency(raw_service);
  side.raw_response = make_latency(raw_response);
  side.trimmed_mean_ns = trimmed_mean(std::move(all), kTrimmedShare);
}

// From each slice's first intended time to its last return, or to its meant end if that is later.
void add_rate(const std::vector<Slice>& slices, const FiguresPlan& plan, DuetSide& side) {
  const auto length_ns = static_cast<double>(plan.slice_ns);
  double needed_ns = 0;      // as the clock saw it
  double classified_ns = 0;  // had the thread never been preempted
  double calls = 0;
  for (const Slice& slice : slices) {
    const CallRecord& last = slice.calls.back();
    const std::uint64_t start_ns = slice.calls.front().intended_ns;
    const std::uint64_t classified_end_ns = last.intended_ns + slice.response_ns.back();
    needed_ns += std::max(length_ns, static_cast<double>(last.end_ns - start_ns));
    classified_ns += std::max(length_ns, static_cast<double>(classified_end_ns - start_ns));
    calls += static_cast<double>(slice.calls.size());
  }
  if (needed_ns <= 0) return;
  side.achieved_rate_hz = calls / needed_ns * 1e9;
  const double meant_ns = length_ns * static_cast<double>(slices.size());
  side.rate_missed = !plan.closed_loop && classified_ns > meant_ns * kRateTolerance;
}

std::optional<double> carry_over(const std::vector<Slice>& slices, const FiguresPlan& plan) {
  const std::vector<std::optional<char>> before = sides_before(plan.slice_order, plan.side);
  std::vector<std::uint64_t> after_other;
  std::vector<std::uint64_t> after_same;
  for (const Slice& slice : slices) {
    const std::uint32_t number = slice.calls.front().slice;
    if (number >= before.size() || !before[number]) continue;
    std::vector<std::uint64_t>& group = *before[number] == plan.side ? after_same : after_other;
    const auto recorded = static_cast<double>(slice.calls.size() - slice.first);
    const auto end = slice.first + static_cast<std::size_t>(recorded * kBeginningShare);
    group.insert(group.end(), slice.service_ns.begin() + static_cast<std::ptrdiff_t>(slice.first),
                 slice.service_ns.begin() + static_cast<std::ptrdiff_t>(end));
  }
  if (std::min(after_other.size(), after_same.size()) < kLeastBeginningCalls) return {};
  const double other_ns = trimmed_mean(std::move(after_other), kTrimmedShare);
  const double same_ns = trimmed_mean(std::move(after_same), kTrimmedShare);
  if (other_ns <= 0 || same_ns <= 0) return {};
  return std::log(other_ns / same_ns);
}

}  // namespace

std::vector<std::uint64_t> lindley_response_ns(std::span<const std::uint64_t> due_ns,
                                               std::span<const std::uint64_t> service_ns) {
  std::vector<std::uint64_t> response_ns(due_ns.size());
  std::uint64_t end_ns = 0;
  for (std::size_t i = 0; i < due_ns.size(); ++i) {
    end_ns = std::max(due_ns[i], end_ns) + service_ns[i];
    response_ns[i] = end_ns - due_ns[i];
  }
  return response_ns;
}

double trimmed_mean(std::vector<std::uint64_t> values, double share) {
  if (values.empty()) return 0;
  const auto wanted =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const std::size_t count = std::clamp<std::size_t>(wanted, 1, values.size());
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(values.begin(), end - 1, values.end());
  const std::uint64_t sum = std::accumulate(values.begin(), end, std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(count);
}

std::uint64_t lower_median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<std::optional<char>> sides_before(const std::string& slice_order, char side) {
  std::vector<std::optional<char>> before;
  for (std::size_t i = 0; i < slice_order.size(); ++i) {
    if (slice_order[i] != side) continue;
    before.push_back(i == 0 ? std::nullopt : std::optional<char>(slice_order[i - 1]));
  }
  return before;
}

void add_figures(std::span<const CallRecord> calls, const FiguresPlan& plan, DuetSide& side) {
  std::vector<Slice> slices = split(calls, plan.dropped_per_slice);
  const std::uint64_t median_ns = raw_median(slices);
  for (Slice& slice : slices) {
    classify(slice, median_ns, plan.closed_loop);
    count_kinds(slice, side);
    side.dropped += slice.first;
    side.events += slice.calls.size() - slice.first;
  }
  add_distributions(slices, plan, side);
  add_rate(slices, plan, side);
  side.carry_over = carry_over(slices, plan);
}

}  // namespace tailgate
