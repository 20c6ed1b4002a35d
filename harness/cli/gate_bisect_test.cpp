#include "harness/cli/gate_bisect.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

namespace tailgate {
namespace {

std::vector<std::string> commits_of(std::size_t count) {
  std::vector<std::string> commits;
  for (std::size_t i = 0; i < count; ++i) commits.push_back(std::to_string(i));
  return commits;
}

TEST_CASE("every place of a change is found, with as few gates as halving takes") {
  const std::size_t count = GENERATE(1u, 2u, 3u, 8u, 21u);
  for (std::size_t bad = 0; bad < count; ++bad) {
    double gates = 0;
    const Bisection found = bisect(commits_of(count), [&](const std::string& commit) {
      ++gates;
      return std::stoul(commit) >= bad ? CommitOutcome::failed : CommitOutcome::passed;
    });
    CHECK(found.first_failed == std::to_string(bad));
    CHECK(found.last_passed.has_value() == (bad > 0));
    CHECK(found.unknown.empty());
    CHECK(gates <= std::ceil(std::log2(static_cast<double>(count))));
  }
}

TEST_CASE("commits that cannot be judged are passed over, and named where they may be the one") {
  std::map<std::string, int> judged;
  const Bisection found = bisect(commits_of(9), [&](const std::string& commit) {
    CHECK(++judged[commit] == 1);
    if (commit == "3" || commit == "4" || commit == "5") return CommitOutcome::unknown;
    return std::stoul(commit) >= 6 ? CommitOutcome::failed : CommitOutcome::passed;
  });
  CHECK(found.first_failed == "6");
  CHECK(found.last_passed == "2");
  CHECK(found.unknown == std::vector<std::string>{"3", "4", "5"});
}

}  // namespace
}  // namespace tailgate
