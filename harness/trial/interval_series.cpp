#include "harness/trial/interval_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/overhead/sampler.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr const char* kJoinedRemedy = "ask for longer ones with --interval-s, or run for less time";

std::size_t bytes_of(const std::vector<Interval>& intervals) {
  return std::accumulate(
      intervals.begin(), intervals.end(), std::size_t{0},
      [](std::size_t sum, const Interval& interval) { return sum + bytes_of(interval); });
}

// Joins pairs; an odd last one stays.
void halve(std::vector<Interval>& intervals) {
  std::vector<Interval> half;
  for (std::size_t i = 0; i < intervals.size(); i += 2) {
    half.push_back(i + 1 < intervals.size() ? joined(intervals[i], intervals[i + 1])
                                            : std::move(intervals[i]));
  }
  intervals = std::move(half);
}

}  // namespace

Interval joined(const Interval& a, const Interval& b) {
  return {.start_ns = a.start_ns,
          .end_ns = b.end_ns,
          .service = joined(a.service, b.service),
          .response = joined(a.response, b.response),
          .roles = uses_together(a.roles, b.roles)};
}

std::size_t bytes_of(const Interval& interval) {
  return sizeof interval + interval.service.hdr.size() + interval.response.hdr.size() +
         interval.roles.size() * sizeof(RoleUse);
}

void IntervalSeries::add(Interval interval) {
  if (in_last_ == 0) {
    intervals_.push_back(std::move(interval));
  } else {
    bytes_ -= bytes_of(intervals_.back());
    intervals_.back() = joined(intervals_.back(), interval);
  }
  bytes_ += bytes_of(intervals_.back());
  in_last_ = (in_last_ + 1) % joined_each_;
  if (joining()) {
    join_next();
  } else if (bytes_ > max_bytes_ && in_last_ == 0 && intervals_.size() % 2 == 0) {
    joined_each_ *= 2;
    next_ = 0;
    end_ = intervals_.size();
  }
}

void IntervalSeries::join_next() {
  const auto at = intervals_.begin() + static_cast<std::ptrdiff_t>(next_);
  bytes_ -= bytes_of(*at) + bytes_of(*(at + 1));
  *at = joined(*at, *(at + 1));
  bytes_ += bytes_of(*at);
  intervals_.erase(at + 1);
  ++next_;
  --end_;
}

std::vector<Interval> IntervalSeries::take() {
  while (joining()) join_next();
  return std::exchange(intervals_, {});
}

void fit_intervals(std::vector<Trial>& trials, std::size_t max_bytes) {
  while (true) {
    std::size_t all = 0;
    std::size_t most = 0;
    Trial* largest = nullptr;
    for (Trial& trial : trials) {
      const std::size_t bytes = bytes_of(trial.intervals);
      all += bytes;
      if (bytes <= most || trial.intervals.size() < 2) continue;
      most = bytes;
      largest = &trial;
    }
    if (all <= max_bytes || largest == nullptr) return;
    halve(largest->intervals);
    std::erase_if(largest->remarks,
                  [](const Remark& remark) { return remark.remedy == kJoinedRemedy; });
    largest->remarks.push_back(joined_remark(largest->intervals));
  }
}

Remark joined_remark(const std::vector<Interval>& intervals) {
  const Interval& first = intervals.front();
  return {fmt::format("the trial's intervals were joined, to {} of {:.3g} s: more would not fit",
                      intervals.size(), static_cast<double>(first.end_ns - first.start_ns) / 1e9),
          kJoinedRemedy};
}

}  // namespace tailgate
