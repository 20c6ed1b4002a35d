#include "harness/cli/idle_watch.h"

#include <catch2/catch.hpp>
#include <vector>

#include "harness/base/testing/test_directory.h"

namespace tailgate {
namespace {

TEST_CASE("the machine is idle after enough quiet seconds in a row") {
  IdleCriterion criterion(0.2, 3);
  for (const double busy : {0.0, 0.2, 0.21, 0.1, 0.1}) {
    criterion.note(busy, 1);
    CHECK_FALSE(criterion.reached());
  }
  criterion.note(0, 1);
  CHECK(criterion.reached());
  criterion.note(1, 1);
  CHECK_FALSE(criterion.reached());
  CHECK(IdleCriterion(0, 0).reached());
}

TEST_CASE("waiting ends when the machine is idle, or when the caller gives up") {
  const TestDirectory directory;
  IdleWatch watch(directory.path());
  std::vector<double> seen;
  const auto note = [&](double busy) { seen.push_back(busy); };
  const double all = online_processors() + 1;
  CHECK(watch.wait(
      IdleCriterion(all, 1), [] { return false; }, note));
  REQUIRE_FALSE(seen.empty());
  CHECK(seen[0] >= 0);
  CHECK(seen[0] <= all);
  // Nothing is below no use at all.
  CHECK_FALSE(watch.wait(
      IdleCriterion(-1, 1), [&] { return seen.size() >= 2; }, note));
}

}  // namespace
}  // namespace tailgate
