#include "scenarios/search.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace tailgate {
namespace {

constexpr SearchPlan kPlan = {.start = 40, .least = 0, .most = 100, .stride = 8, .confirm = 5};

// Searches among trials that hold with a probability which falls with the place.
std::vector<Looked> search(const SearchPlan& plan, const std::function<bool(std::int64_t)>& holds) {
  std::vector<Looked> looked;
  while (const auto look = next_look(plan, looked)) {
    REQUIRE(looked.size() < 200);
    REQUIRE(look->place >= plan.least);
    REQUIRE(look->place <= plan.most);
    Looked seen{.place = look->place, .trials = look->trials, .held = 0};
    for (unsigned i = 0; i < look->trials; ++i) seen.held += holds(look->place) ? 1 : 0;
    looked.push_back(seen);
  }
  return looked;
}

TEST_CASE("a search finds each sharp place exactly, and confirms it from both sides") {
  for (std::int64_t limit = 0; limit < 100; ++limit) {
    INFO(limit);
    const auto looked = search(kPlan, [&](std::int64_t place) { return place <= limit; });
    const FoundPlace found = found_place(kPlan, looked);
    CHECK(found.holds == limit);
    CHECK(found.misses == limit + 1);
    CHECK(found.best == limit);
    // Strides and halves among 100 places, and the confirmation.
    CHECK(looked.size() <= 14);
  }
}

TEST_CASE("a search finds the limit among ten thousands of places by halves") {
  const SearchPlan bytes = {
      .start = 61'440, .least = 32, .most = 61'440, .stride = 1, .confirm = 2};
  for (const std::int64_t limit : {32, 33, 1000, 8192, 61'439}) {
    const auto looked = search(bytes, [&](std::int64_t place) { return place <= limit; });
    CHECK(found_place(bytes, looked).holds == limit);
    CHECK(found_place(bytes, looked).misses == limit + 1);
    CHECK(looked.size() <= 36);
  }
}

TEST_CASE("a search says when there is no limit, and when nothing holds") {
  const FoundPlace all = found_place(kPlan, search(kPlan, [](std::int64_t) { return true; }));
  CHECK(all.holds == 100);
  CHECK_FALSE(all.misses);
  const FoundPlace none = found_place(kPlan, search(kPlan, [](std::int64_t) { return false; }));
  CHECK_FALSE(none.holds);
  CHECK(none.misses == 0);
  CHECK_FALSE(none.best);
}

TEST_CASE("one wrong single trial does not mislead a search") {
  for (int wrong_at = 0; wrong_at < 12; ++wrong_at) {
    INFO(wrong_at);
    int trial = 0;
    const auto looked = search(kPlan, [&](std::int64_t place) {
      const bool holds = place <= 70;
      return trial++ == wrong_at ? !holds : holds;
    });
    const FoundPlace found = found_place(kPlan, looked);
    REQUIRE(found.holds);
    REQUIRE(found.misses);
    CHECK(*found.holds <= 70);
    CHECK(*found.holds >= 69);  // a trial that is wrong in the confirmation leaves its place open
    CHECK(*found.misses >= 71);
    CHECK(*found.misses <= 72);
  }
}

// The probability that a trial holds falls from 1 to 0 around place 60, where it is 1/2.
TEST_CASE("of searches among noisy trials, nearly all intervals hold the true place") {
  constexpr double kTrue = 60.5;
  std::mt19937 random(7);
  int covered = 0;
  constexpr int kSearches = 400;
  for (int i = 0; i < kSearches; ++i) {
    const auto looked = search(kPlan, [&](std::int64_t place) {
      const double p = 1 / (1 + std::exp((static_cast<double>(place) - kTrue) / 1.5));
      return std::uniform_real_distribution<double>(0, 1)(random) < p;
    });
    const FoundPlace found = found_place(kPlan, looked);
    const bool low = !found.holds || static_cast<double>(*found.holds) <= kTrue;
    const bool high = !found.misses || static_cast<double>(*found.misses) >= kTrue;
    covered += low && high ? 1 : 0;
  }
  // Each end is wrong with 1/32 or less in one look, and a few looks are taken on each side.
  CHECK(covered >= kSearches * 85 / 100);
}

}  // namespace
}  // namespace tailgate
