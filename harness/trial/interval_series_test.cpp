#include "harness/trial/interval_series.h"

#include <catch2/catch.hpp>
#include <random>

#include "harness/histogram/histogram.h"
#include "harness/result/latency.h"

namespace tailgate {
namespace {

constexpr HistogramRange kRange = {
    .lowest_discernible = 1, .highest_trackable = 3'600'000'000'000, .significant_digits = 3};

// Intervals of random calls, one after another, and what they are together.
class Calls {
 public:
  explicit Calls(int digits = 3)
      : layout_({.lowest_discernible = 1,
                 .highest_trackable = kRange.highest_trackable,
                 .significant_digits = digits}),
        all_(layout_) {}

  Interval next(std::uint64_t length_ns, int calls) {
    Histogram histogram(layout_);
    std::lognormal_distribution<double> times(9, 2);
    for (int i = 0; i < calls; ++i) {
      const auto time_ns = static_cast<std::uint64_t>(times(random_));
      histogram.record(time_ns);
      all_.record(time_ns);
    }
    const std::uint64_t start_ns = end_ns_;
    end_ns_ += length_ns;
    RoleUse use{.role = "provider", .processes = 1, .ended = 0, .counters = {}};
    use.counters.cpu_ns = length_ns / 2;
    use.counters.rss_bytes = end_ns_;
    return {.start_ns = start_ns,
            .end_ns = end_ns_,
            .service = make_latency(histogram),
            .response = make_latency(histogram),
            .roles = {use}};
  }

  const Histogram& all() const { return all_; }
  std::uint64_t end_ns() const { return end_ns_; }

 private:
  HistogramLayout layout_;
  Histogram all_;
  std::mt19937_64 random_{1};
  std::uint64_t end_ns_ = 1000;
};

std::size_t bytes_of_all(const std::vector<Interval>& intervals) {
  std::size_t bytes = 0;
  for (const Interval& interval : intervals) bytes += bytes_of(interval);
  return bytes;
}

// Whether the intervals lie one behind the other and hold exactly these calls and uses.
void check_whole(const std::vector<Interval>& intervals, const Calls& calls) {
  Histogram service(HistogramLayout{kRange});
  Histogram response(HistogramLayout{kRange});
  std::uint64_t at_ns = 1000;
  std::uint64_t cpu_ns = 0;
  for (const Interval& interval : intervals) {
    CHECK(interval.start_ns == at_ns);
    at_ns = interval.end_ns;
    service.add(decode_latency(interval.service));
    response.add(decode_latency(interval.response));
    REQUIRE(interval.roles.size() == 1);
    cpu_ns += interval.roles.front().counters.cpu_ns.value();
    CHECK(interval.roles.front().counters.rss_bytes == interval.end_ns);  // the level at its end
  }
  CHECK(at_ns == calls.end_ns());
  CHECK(cpu_ns == (calls.end_ns() - 1000) / 2);
  CHECK(service == calls.all());
  CHECK(response == calls.all());
}

TEST_CASE("a usual trial keeps its intervals as they were cut") {
  Calls calls;
  IntervalSeries series(kTrialIntervalBytes);
  for (int i = 0; i < 300; ++i) series.add(calls.next(200'000'000, 2000));  // a minute, 10k/s
  CHECK(series.joined_each() == 1);
  const std::vector<Interval> intervals = series.take();
  CHECK(intervals.size() == 300);
  check_whole(intervals, calls);
}

TEST_CASE("intervals of any number are joined to equal lengths and lose no call and no use",
          "[long]") {
  const int count = GENERATE(1, 2, 3, 7, 64, 65, 1000, 4095, 4096, 5001);
  Calls calls;
  constexpr std::size_t kBytes = 60'000;
  IntervalSeries series(kBytes);
  for (int i = 0; i < count; ++i) series.add(calls.next(1'000'000, 5));
  const unsigned each = series.joined_each();
  const std::vector<Interval> intervals = series.take();
  INFO(count << " intervals, " << each << " joined to one");
  check_whole(intervals, calls);
  for (std::size_t i = 0; i + 1 < intervals.size(); ++i) {
    CHECK(intervals[i].end_ns - intervals[i].start_ns == each * 1'000'000);
  }
  CHECK(bytes_of_all(intervals) <= 2 * kBytes);
  // Not shorter than needed: twice as many would not have fitted.
  if (each > 1) CHECK(bytes_of_all(intervals) > kBytes / 4);
}

TEST_CASE("memory stays bounded while intervals come, at four digits, too", "[long]") {
  Calls calls(4);
  constexpr std::size_t kBytes = 500'000;
  IntervalSeries series(kBytes);
  for (int i = 0; i < 600; ++i) {
    series.add(calls.next(10'000'000, 3000));
    CHECK(series.bytes() <= 2 * kBytes);
  }
  CHECK(series.joined_each() > 1);
}

TEST_CASE("the intervals of all trials fit, the largest trials give, and they say so") {
  std::vector<Trial> trials(3);
  Calls calls;
  for (int i = 0; i < 400; ++i) trials[0].intervals.push_back(calls.next(1'000'000, 100));
  Calls small;
  for (int i = 0; i < 10; ++i) trials[1].intervals.push_back(small.next(1'000'000, 100));
  const std::size_t before = bytes_of_all(trials[0].intervals);
  fit_intervals(trials, before / 3);
  CHECK(bytes_of_all(trials[0].intervals) + bytes_of_all(trials[1].intervals) <= before / 3);
  check_whole(trials[0].intervals, calls);
  CHECK(trials[1].intervals.size() == 10);
  REQUIRE(trials[0].remarks.size() == 1);
  CHECK_THAT(trials[0].remarks[0].what, Catch::Contains("intervals were joined"));
  CHECK(trials[1].remarks.empty());
  CHECK(trials[2].intervals.empty());
}

}  // namespace
}  // namespace tailgate
