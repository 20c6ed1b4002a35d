#include "harness/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

TEST_CASE("each piece of work is done once") {
  const std::size_t count = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{1000});
  std::vector<std::atomic<int>> done(count);
  in_parallel(count, [&done](std::size_t i) { ++done[i]; });
  CHECK(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
}

TEST_CASE("what a piece of work throws comes out, and ends the rest") {
  std::atomic<int> begun = 0;
  CHECK_THROWS_WITH(in_parallel(100'000,
                                [&begun](std::size_t) {
                                  ++begun;
                                  throw std::runtime_error("no");
                                }),
                    "no");
  CHECK(begun < 100'000);
}

}  // namespace
}  // namespace tailgate
