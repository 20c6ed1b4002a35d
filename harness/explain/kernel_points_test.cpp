#include "harness/explain/kernel_points.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace tailgate::activity {
namespace {

TEST_CASE("a tracepoint is named by its group and its own name, which no other row has") {
  std::set<std::string_view> names;
  for (const KernelPointRow& row : kernel_points()) {
    INFO(row.event);
    CHECK(std::count(row.event.begin(), row.event.end(), '/') == 1);
    CHECK_FALSE(row.name().empty());
    CHECK(names.insert(row.name()).second);
  }
  CHECK(kernel_points().size() < kMaxPoints);
}

TEST_CASE("a cause that a row begins is one that a row of the same group ends, and conversely") {
  const auto paired = [](const KernelPointRow& one, PointMarks with) {
    const auto rows = kernel_points();
    const std::string_view group = one.event.substr(0, one.event.find('/') + 1);
    return std::any_of(rows.begin(), rows.end(), [&](const KernelPointRow& other) {
      return other.marks == with && other.cause == one.cause && other.event.starts_with(group);
    });
  };
  for (const KernelPointRow& row : kernel_points()) {
    INFO(row.event);
    if (row.marks == PointMarks::begin) CHECK(paired(row, PointMarks::end));
    if (row.marks == PointMarks::end) CHECK(paired(row, PointMarks::begin));
  }
}

}  // namespace
}  // namespace tailgate::activity
