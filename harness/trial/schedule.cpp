#include "harness/trial/schedule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "harness/base/log_lines.h"

namespace tailgate {
namespace {

constexpr std::size_t kPayloadDraws = 4096;  // a power of two: the driver masks

std::uint64_t thread_seed(const LoadPlan& plan, unsigned thread) {
  // SplitMix64 (Steele, Lea, Flood 2014): neighbouring seeds give unrelated streams.
  std::uint64_t mixed = plan.seed + 0x9E3779B97F4A7C15ull * (thread + 1);
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9ull;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBull;
  return mixed ^ mixed >> 31;
}

std::uint64_t scaled_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

// Of events whose bodies are log lines.
std::vector<std::uint16_t> line_sizes(const LoadPlan& plan, std::size_t min_bytes) {
  const EventEncoding encoding = min_bytes == min_event_bytes(EventEncoding::binary)
                                     ? EventEncoding::binary
                                     : EventEncoding::text;
  const LogLines lines(encoding, max_payload_bytes(plan, min_bytes));
  std::vector<std::uint16_t> sizes;
  for (std::size_t i = 0; i < kLogLines; ++i) {
    sizes.push_back(static_cast<std::uint16_t>(lines.event_bytes(i)));
  }
  return sizes;
}

}  // namespace

Schedule::Schedule(const LoadPlan& plan, unsigned thread, std::uint64_t start_ns)
    : shape_(plan.shape),
      start_ns_(start_ns),
      record_start_ns_(start_ns + scaled_ns(plan.warmup_s)),
      interval_ns_(1e9 * plan.threads / plan.rate_hz),
      phase_events_(static_cast<double>(thread) / plan.threads),
      rate_per_ns_(1 / interval_ns_),
      warmup_ns_(plan.warmup_s * 1e9),
      duration_ns_(plan.duration_s * 1e9),
      burst_events_(plan.burst_events),
      burst_gap_ns_(plan.burst_gap_s * 1e9),
      random_state_(thread_seed(plan, thread) | 1) {
  if (shape_ == Shape::ramp) {
    slope_per_ns2_ = (plan.end_rate_hz - plan.rate_hz) / plan.threads / 1e9 / duration_ns_;
    warmup_events_ = warmup_ns_ * rate_per_ns_;
  }
}

std::uint64_t Schedule::next_ns() {
  const std::uint64_t intended = start_ns_ + static_cast<std::uint64_t>(next_offset_ns());
  ++count_;
  return intended;
}

double Schedule::next_offset_ns() {
  if (shape_ != Shape::poisson) return offset_ns(count_);
  poisson_ns_ -= std::log(uniform_random()) * interval_ns_;
  return poisson_ns_;
}

double Schedule::offset_ns(std::uint64_t count) const {
  const auto event = static_cast<double>(count) + phase_events_;
  if (shape_ == Shape::burst) {
    const std::uint64_t whole_bursts = count / burst_events_;
    return static_cast<double>(whole_bursts) * burst_gap_ns_;
  }
  if (shape_ == Shape::ramp) return ramp_offset_ns(event);
  return event * interval_ns_;
}

// After the warm-up the number of events up to time t is N(t) = r t + s t^2 / 2 (r: rate, s:
// slope), and event n is due at N(t) = n. This form of the root avoids cancellation and division by
// a zero slope. After the end of a falling ramp the root may not exist, so the last rate continues.
double Schedule::ramp_offset_ns(double event) const {
  if (event <= warmup_events_) return event * interval_ns_;
  const double n = event - warmup_events_;
  const double in_ramp =
      (rate_per_ns_ + slope_per_ns2_ * duration_ns_ / 2) * duration_ns_;  // N(duration)
  if (n > in_ramp) {
    const double end_rate = rate_per_ns_ + slope_per_ns2_ * duration_ns_;
    return warmup_ns_ + duration_ns_ + (n - in_ramp) / end_rate;
  }
  const double root = std::sqrt(rate_per_ns_ * rate_per_ns_ + 2 * slope_per_ns2_ * n);
  return warmup_ns_ + 2 * n / (rate_per_ns_ + root);
}

// The inverse of offset_ns, but for rounding.
double Schedule::events_until(double offset_ns) const {
  if (shape_ == Shape::burst) {
    return std::ceil(offset_ns / burst_gap_ns_) * static_cast<double>(burst_events_);
  }
  if (shape_ != Shape::ramp || offset_ns <= warmup_ns_) return offset_ns / interval_ns_;
  const double in_ramp_ns = std::min(offset_ns - warmup_ns_, duration_ns_);
  const double end_rate = rate_per_ns_ + slope_per_ns2_ * duration_ns_;
  return warmup_events_ + (rate_per_ns_ + slope_per_ns2_ * in_ramp_ns / 2) * in_ramp_ns +
         (offset_ns - warmup_ns_ - in_ramp_ns) * end_rate;
}

std::uint64_t Schedule::skip_until(std::uint64_t until_ns) {
  if (until_ns <= start_ns_) return 0;
  const auto until_offset_ns = static_cast<double>(until_ns - start_ns_);
  if (shape_ == Shape::poisson) return skip_poisson(until_offset_ns);
  const auto due_before = [&](std::uint64_t count) { return offset_ns(count) < until_offset_ns; };
  const std::uint64_t first = count_;
  count_ = std::max(first, static_cast<std::uint64_t>(events_until(until_offset_ns)));
  while (count_ > first && !due_before(count_ - 1)) --count_;
  while (due_before(count_)) ++count_;
  return count_ - first;
}

// The times of a Poisson process after a moment do not depend on those before it, and the number of
// events in a stretch has a Poisson distribution.
std::uint64_t Schedule::skip_poisson(double until_offset_ns) {
  if (until_offset_ns <= poisson_ns_) return 0;
  const double mean = (until_offset_ns - poisson_ns_) / interval_ns_;
  poisson_ns_ = until_offset_ns;
  std::mt19937_64 random(random_bits());
  const std::uint64_t skipped = std::poisson_distribution<std::uint64_t>(mean)(random);
  count_ += skipped;
  return skipped;
}

std::uint64_t Schedule::random_bits() {
  // xorshift64* (Vigna 2016)
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  return random_state_ * 0x2545F4914F6CDD1Dull;
}

double Schedule::uniform_random() {
  // 53 of the high bits, shifted into (0, 1].
  return (static_cast<double>(random_bits() >> 11) + 1) * 0x1p-53;
}

LoadLimits load_limits(const LoadPlan& plan, unsigned thread, std::uint64_t record_start_ns) {
  LoadLimits limits;
  const auto warmup_ns = static_cast<std::uint64_t>(plan.warmup_s * 1e9);
  limits.warmup_wall_ns = record_start_ns + std::max<std::uint64_t>(warmup_ns / 2, 250'000'000);
  if (plan.duration_s > 0) {
    const auto duration_ns = static_cast<std::uint64_t>(plan.duration_s * 1e9);
    limits.intended_ns = record_start_ns + duration_ns;
    limits.wall_ns = limits.intended_ns + std::max<std::uint64_t>(duration_ns / 2, 1'000'000'000);
  } else {
    const std::uint64_t share = plan.events / plan.threads;
    limits.events = share + (thread < plan.events % plan.threads ? 1 : 0);
  }
  return limits;
}

std::size_t max_payload_bytes(const LoadPlan& plan, std::size_t min_bytes) {
  const PayloadPlan& payload = plan.payload;
  const double largest = payload.law == PayloadLaw::uniform     ? payload.second
                         : payload.law == PayloadLaw::lognormal ? double{kMaxEventBytes}
                                                                : payload.first;
  return std::clamp(static_cast<std::size_t>(largest), min_bytes, kMaxEventBytes);
}

EventBuffers event_buffers(const LoadPlan& plan, EventEncoding encoding) {
  const std::size_t bytes = max_payload_bytes(plan, min_event_bytes(encoding));
  if (plan.payload.law != PayloadLaw::lines) return {prepare_event(encoding, bytes), 0};
  const LogLines lines(encoding, bytes);
  EventBuffers buffers{std::vector<std::byte>(kLogLines * bytes), bytes};
  for (std::size_t i = 0; i < kLogLines; ++i) {
    std::ranges::copy(lines.body(i), &buffers.bytes[i * bytes + lines.header_bytes()]);
  }
  return buffers;
}

std::vector<std::uint16_t> payload_sizes(const LoadPlan& plan, unsigned thread,
                                         std::size_t min_bytes) {
  const PayloadPlan& payload = plan.payload;
  if (payload.law == PayloadLaw::lines) return line_sizes(plan, min_bytes);
  std::mt19937_64 random(thread_seed(plan, thread) ^ 0x5157u);
  // 2.3263: the standard normal's 99th percentile.
  const double sigma = payload.law == PayloadLaw::lognormal
                           ? std::log(payload.second / payload.first) / 2.3263478740408408
                           : 0;
  std::uniform_real_distribution<double> uniform(payload.first,
                                                 std::max(payload.first, payload.second));
  std::lognormal_distribution<double> lognormal(std::log(payload.first), std::max(sigma, 1e-9));
  std::vector<std::uint16_t> sizes(payload.law == PayloadLaw::fixed ? 1 : kPayloadDraws);
  for (std::uint16_t& size : sizes) {
    const double drawn = payload.law == PayloadLaw::fixed     ? payload.first
                         : payload.law == PayloadLaw::uniform ? uniform(random)
                                                              : lognormal(random);
    const double clamped = std::clamp(std::round(drawn), static_cast<double>(min_bytes),
                                      static_cast<double>(kMaxEventBytes));
    size = static_cast<std::uint16_t>(clamped);
  }
  return sizes;
}

std::uint64_t expected_bytes(const LoadPlan& plan, std::size_t min_bytes) {
  const std::uint64_t events = expected_events(plan) / plan.threads + 1;
  std::uint64_t bytes = 0;
  for (unsigned thread = 0; thread < plan.threads; ++thread) {
    const std::vector<std::uint16_t> sizes = payload_sizes(plan, thread, min_bytes);
    const auto rest = static_cast<std::ptrdiff_t>(events % sizes.size());
    const auto sum_to = [&](auto end) {
      return std::accumulate(sizes.begin(), end, std::uint64_t{0});
    };
    bytes += events / sizes.size() * sum_to(sizes.end()) + sum_to(sizes.begin() + rest);
  }
  return bytes;
}

}  // namespace tailgate
