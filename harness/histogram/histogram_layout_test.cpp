#include "harness/histogram/histogram_layout.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/base/error.h"

using tailgate::HistogramLayout;
using tailgate::HistogramRange;

namespace {

constexpr std::uint64_t highest_int64 = std::numeric_limits<std::int64_t>::max();

const std::vector<HistogramRange> ranges = {
    {1, 2, 0},
    {1, 100, 1},
    {1, 3'600'000'000, 2},
    {1, 3'600'000'000'000, 3},
    {1000, 3'600'000'000'000, 3},
    {1024, 100'000'000, 4},
    {1, highest_int64, 3},
    {3, highest_int64, 5},
    {1ull << 40, highest_int64, 1},
};

}  // namespace

TEST_CASE("slots tile the range without gap or overlap", "[histogram]") {
  for (const HistogramRange& range : ranges) {
    const HistogramLayout layout(range);
    CAPTURE(range.lowest_discernible, range.highest_trackable, range.significant_digits);
    REQUIRE(layout.lowest_equivalent(0) == 0);
    for (std::size_t slot = 0; slot < layout.count_slots(); ++slot) {
      const std::uint64_t low = layout.lowest_equivalent(slot);
      const std::uint64_t high = layout.highest_equivalent(slot);
      // Test a plain condition first: a REQUIRE for each of millions of slots takes minutes.
      const bool tiles = layout.index_of(low) == slot && layout.index_of(high) == slot &&
                         low <= layout.median_equivalent(slot) &&
                         layout.median_equivalent(slot) <= high &&
                         (slot == 0 || layout.highest_equivalent(slot - 1) + 1 == low);
      if (!tiles) FAIL("slot " << slot << " covers " << low << " to " << high);
    }
    REQUIRE(layout.highest_recordable() >= range.highest_trackable);
    REQUIRE(layout.highest_recordable() <= highest_int64);
  }
}

TEST_CASE("a slot is at most value / 10^digits wide", "[histogram]") {
  for (const HistogramRange& range : ranges) {
    const HistogramLayout layout(range);
    std::uint64_t resolution = 1;
    for (int digit = 0; digit < range.significant_digits; ++digit) resolution *= 10;
    for (std::size_t slot = 0; slot < layout.count_slots(); ++slot) {
      const std::uint64_t low = layout.lowest_equivalent(slot);
      const std::uint64_t width = layout.highest_equivalent(slot) - low + 1;
      if (width > range.lowest_discernible && width > low / resolution) {
        FAIL("slot " << slot << " from " << low << " is " << width << " wide");
      }
    }
  }
}

TEST_CASE("values above the range have indexes after the last slot", "[histogram]") {
  for (const HistogramRange& range : ranges) {
    const HistogramLayout layout(range);
    const std::uint64_t highest = layout.highest_recordable();
    CHECK(layout.index_of(highest) == layout.count_slots() - 1);
    CHECK(layout.index_of(highest + 1) == layout.count_slots());
    CHECK(layout.index_of(std::numeric_limits<std::uint64_t>::max()) >= layout.count_slots());
    CHECK(layout.clamp(highest) == highest);
    CHECK(layout.clamp(highest + 1) == highest);
  }
}

TEST_CASE("an impossible range is an error that names the value", "[histogram]") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(HistogramLayout({0, 100, 3}), Contains("lowest_discernible = 0"));
  CHECK_THROWS_WITH(HistogramLayout({60, 100, 3}), Contains("highest_trackable = 100"));
  CHECK_THROWS_WITH(HistogramLayout({1, highest_int64 + 1, 3}), Contains("highest_trackable"));
  CHECK_THROWS_WITH(HistogramLayout({1ull << 63, highest_int64, 3}), Contains("lowest_discern"));
  CHECK_THROWS_WITH(HistogramLayout({1, 100, -1}), Contains("significant_digits = -1"));
  CHECK_THROWS_WITH(HistogramLayout({1, 100, 6}), Contains("significant_digits = 6"));
  CHECK_THROWS_WITH(HistogramLayout({1ull << 52, highest_int64, 3}), Contains("leaves no room"));
  CHECK_NOTHROW(HistogramLayout({1ull << 51, highest_int64, 3}));
}
