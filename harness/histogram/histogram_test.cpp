#include "harness/histogram/histogram.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "harness/base/error.h"

using tailgate::Histogram;
using tailgate::HistogramLayout;
using tailgate::HistogramRange;
using tailgate::HistogramWriter;
using tailgate::IntervalSnapshots;

namespace {

const HistogramRange hour_ns = {1, 3'600'000'000'000, 3};
constexpr std::uint64_t highest_value = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint64_t> log_normal_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> distribution(8.0, 2.0);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(distribution(random));
  return values;
}

}  // namespace

TEST_CASE("an empty histogram has no values and zero figures", "[histogram]") {
  const Histogram histogram(hour_ns);
  CHECK(histogram.total_count() == 0);
  CHECK(histogram.min() == 0);
  CHECK(histogram.max() == 0);
  CHECK(histogram.mean() == 0.0);
  CHECK(histogram.stddev() == 0.0);
  CHECK(histogram.value_at_quantile(0.0) == 0);
  CHECK(histogram.value_at_quantile(1.0) == 0);
  CHECK(histogram.count_between(0, highest_value) == 0);
  CHECK(histogram.percentiles(5).empty());
}

TEST_CASE("quantiles lie within the resolution of the sorted values", "[histogram]") {
  std::vector<std::uint64_t> values = log_normal_values(20'000, 1);
  Histogram histogram(hour_ns);
  for (const std::uint64_t value : values) histogram.record(value);
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size());
  for (const double q : {0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * count - 1e-9));
    const std::uint64_t exact = values[std::max<std::size_t>(rank, 1) - 1];
    CAPTURE(q, exact);
    CHECK(histogram.value_at_quantile(q) >= exact);
    CHECK(histogram.value_at_quantile(q) <= exact + exact / 1000);
  }
  CHECK(histogram.total_count() == values.size());
  CHECK(histogram.min() <= values.front());
  CHECK(histogram.max() >= values.back());
}

TEST_CASE("figures of small integers are exact: mean, deviation, ranks", "[histogram]") {
  Histogram histogram(hour_ns);
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  // Mean and variance of 1..n are (n + 1) / 2 and (n^2 - 1) / 12.
  CHECK(histogram.mean() == Approx(50.5).epsilon(1e-12));
  CHECK(histogram.stddev() == Approx(std::sqrt(9999.0 / 12.0)).epsilon(1e-12));
  for (int percent = 1; percent <= 100; ++percent) {
    CHECK(histogram.value_at_quantile(percent / 100.0) == static_cast<std::uint64_t>(percent));
  }
  CHECK(histogram.count_between(0, 10) == 10);
  CHECK(histogram.count_between(11, 20) == 10);
  CHECK(histogram.count_between(20, 11) == 0);
  CHECK(histogram.value_at_quantile(-1.0) == 1);
  CHECK(histogram.value_at_quantile(2.0) == 100);
  CHECK(histogram.value_at_quantile(std::nan("")) == 1);
}

TEST_CASE("values above the range count as the highest value and as overflow", "[histogram]") {
  const HistogramLayout layout({1, 1000, 2});
  std::vector<std::uint64_t> words(HistogramWriter::words(layout));
  HistogramWriter writer(layout, words.data());
  Histogram recorded(layout);
  for (const std::uint64_t value : {std::uint64_t{5}, layout.highest_recordable(),
                                    layout.highest_recordable() + 1, ~std::uint64_t{0}}) {
    writer.record(value);
    recorded.record(value);
  }
  const Histogram copy = snapshot(layout, words.data());
  CHECK(copy == recorded);
  CHECK(copy.total_count() == 4);
  CHECK(copy.overflow_count() == 2);
  CHECK(copy.max() == layout.highest_recordable());
  CHECK(copy.counts().back() == 3);
}

TEST_CASE("the writer and the value type record the same counts", "[histogram]") {
  const HistogramLayout layout(hour_ns);
  std::vector<std::uint64_t> words(HistogramWriter::words(layout));
  HistogramWriter writer(layout, words.data());
  Histogram recorded(layout);
  for (const std::uint64_t value : log_normal_values(10'000, 2)) {
    writer.record(value);
    recorded.record(value);
  }
  CHECK(snapshot(layout, words.data()) == recorded);
}

TEST_CASE("a merge equals recording everything into one", "[histogram]") {
  Histogram first(hour_ns), second(hour_ns), both(hour_ns);
  for (const std::uint64_t value : log_normal_values(1000, 3))
    first.record(value), both.record(value);
  for (const std::uint64_t value : log_normal_values(1000, 4))
    second.record(value, 3), both.record(value, 3);
  Histogram merged = first;
  merged.add(second);
  CHECK(merged == both);
  merged.subtract(second);
  CHECK(merged == first);
  merged.subtract(first);
  CHECK(merged == Histogram(hour_ns));
  first.add(first);
  CHECK(first.total_count() == 2000);
}

TEST_CASE("a merge across layouts keeps counts, and counts an overflow once", "[histogram]") {
  Histogram fine({1, 1'000'000, 4});
  const std::uint64_t fine_highest = fine.layout().highest_recordable();
  for (const std::uint64_t value : {1ull, 500ull, 123'456ull}) fine.record(value);
  fine.record(fine_highest + 1, 2);
  Histogram coarse({1, 100, 1});
  coarse.record(3);
  coarse.add(fine);
  CHECK(coarse.total_count() == 6);
  CHECK(coarse.overflow_count() ==
        4);  // 500, 123456, and twice the value above the range of `fine`
  Histogram wide(hour_ns);
  wide.add(fine);
  CHECK(wide.total_count() == 5);
  CHECK(wide.overflow_count() == 2);
  CHECK(wide.count_between(123'456, 123'456) == 1);
}

TEST_CASE("an impossible subtraction is an error and changes nothing", "[histogram]") {
  using Catch::Matchers::Contains;
  Histogram histogram(hour_ns), more(hour_ns);
  histogram.record(7);
  more.record(5);
  more.record(7, 2);
  const Histogram before = histogram;
  CHECK_THROWS_WITH(histogram.subtract(more), Contains("at value 5"));
  CHECK_THROWS_WITH(histogram.subtract(Histogram({1, 100, 3})), Contains("another range"));
  CHECK(histogram == before);
}

TEST_CASE("a total above 2^63 - 1 is an error", "[histogram]") {
  Histogram histogram(hour_ns);
  histogram.record(1, highest_value);
  CHECK_THROWS_AS(histogram.record(2), tailgate::Error);
  CHECK_THROWS_AS(histogram.add(histogram), tailgate::Error);
  CHECK(histogram.total_count() == highest_value);
  CHECK_THROWS_AS(Histogram(HistogramLayout(hour_ns), {highest_value, 1}), tailgate::Error);
  CHECK_THROWS_AS(Histogram(HistogramLayout({1, 2, 0}), std::vector<std::uint64_t>(99, 1)),
                  tailgate::Error);
}

TEST_CASE("intervals add up to the whole while the writer runs", "[histogram]") {
  const HistogramLayout layout({1, 1'000'000, 2});
  std::vector<std::uint64_t> words(HistogramWriter::words(layout));
  const std::vector<std::uint64_t> values = log_normal_values(200'000, 5);
  std::thread thread([&] {
    HistogramWriter writer(layout, words.data());
    for (const std::uint64_t value : values) writer.record(value);
  });
  IntervalSnapshots snapshots(layout, {words.data()});
  Histogram sum(layout);
  while (sum.total_count() < values.size() / 2) sum.add(snapshots.next());
  thread.join();
  sum.add(snapshots.next());
  Histogram recorded(layout);
  for (const std::uint64_t value : values) recorded.record(value);
  CHECK(sum == recorded);
  CHECK(snapshots.whole() == recorded);
  CHECK(snapshots.next() == Histogram(layout));
}

TEST_CASE("percentile steps halve the distance to the maximum", "[histogram]") {
  Histogram histogram(hour_ns);
  for (std::uint64_t value = 1; value <= 1000; ++value) histogram.record(value);
  const std::vector<tailgate::PercentileStep> steps = histogram.percentiles(2);
  const std::vector<double> expected = {0.0, 0.25, 0.5, 0.625, 0.75, 0.8125, 0.875};
  REQUIRE(steps.size() > expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(steps[i].quantile == expected[i]);
    CHECK(steps[i].value == histogram.value_at_quantile(expected[i]));
    CHECK(steps[i].count_to_here == histogram.count_between(0, steps[i].value));
  }
  CHECK(steps.back().quantile == 1.0);
  CHECK(steps.back().value == 1000);
  CHECK(steps.back().count_to_here == 1000);
  CHECK_THROWS_AS(histogram.percentiles(0), tailgate::Error);
  CHECK_THROWS_AS(histogram.percentiles(1001), tailgate::Error);
}

TEST_CASE("percentile steps end for huge totals", "[histogram]") {
  Histogram histogram(hour_ns);
  histogram.record(1, highest_value - 1);
  histogram.record(2);
  CHECK(histogram.percentiles(1000).size() < 100'000);
}
