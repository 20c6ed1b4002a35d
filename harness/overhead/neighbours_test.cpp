#include "harness/overhead/neighbours.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

constexpr int kSelf = 100;

// "name used ns" of the three largest.
std::vector<std::pair<std::string, std::uint64_t>> seen(const NeighbourWatch& watch) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const Neighbour& one : watch.largest(3)) all.emplace_back(one.name, one.cpu_ns);
  return all;
}

using Seen = std::vector<std::pair<std::string, std::uint64_t>>;

TEST_CASE("what processes of one name used between two looks is added up, the largest first") {
  NeighbourWatch watch(kSelf);
  watch.look(
      {{1, 0, "init", 500}, {7, 1, "cc1plus", 1000}, {8, 1, "cc1plus", 10}, {9, 1, "sh", 5}});
  CHECK(seen(watch).empty());
  watch.look(
      {{1, 0, "init", 500}, {7, 1, "cc1plus", 1300}, {8, 1, "cc1plus", 20}, {9, 1, "sh", 6}});
  CHECK(seen(watch) == Seen{{"cc1plus", 310}, {"sh", 1}});
  watch.look({{7, 1, "cc1plus", 1300}, {9, 1, "sh", 400}});
  CHECK(seen(watch) == Seen{{"sh", 395}, {"cc1plus", 310}});
}

TEST_CASE("a process that began after the first look counts whole, one that ended up to its look") {
  NeighbourWatch watch(kSelf);
  watch.look({{7, 1, "ld", 1000}});
  watch.look({{7, 1, "ld", 1500}, {8, 1, "dpkg", 70}});
  watch.look({{8, 1, "dpkg", 90}});
  CHECK(seen(watch) == Seen{{"ld", 500}, {"dpkg", 90}});
}

TEST_CASE("a number that another process has got counts from zero") {
  NeighbourWatch watch(kSelf);
  watch.look({{7, 1, "ld", 1000}});
  watch.look({{7, 1, "cc1", 300}});
  CHECK(seen(watch) == Seen{{"cc1", 300}});
}

TEST_CASE("what a process used before and after it became another program is the other's") {
  NeighbourWatch watch(kSelf);
  watch.look({{7, 1, "sh", 1000}});
  watch.look({{7, 1, "cc1", 1300}});
  CHECK(seen(watch) == Seen{{"cc1", 300}});
}

TEST_CASE("this program, what it started and who works for it are no neighbours") {
  NeighbourWatch watch(kSelf);
  const std::vector<ProcessTime> before = {{kSelf, 50, "tailgate", 0},     {50, 1, "bash", 0},
                                           {101, kSelf, "tg-provider", 0}, {102, 101, "worker", 0},
                                           {30, 1, "journald", 0},         {31, 30, "helper", 0}};
  std::vector<ProcessTime> after = before;
  for (ProcessTime& process : after) process.cpu_ns = 10;
  watch.look(before, {30, 0});
  watch.look(after, {30, 0});
  CHECK(seen(watch) == Seen{{"bash", 10}});
  CHECK(watch.is_own(102));
  CHECK_FALSE(watch.is_own(50));
  // The worker's parent has ended, and init adopted it.
  watch.look({{102, 1, "worker", 900}, {50, 1, "bash", 10}});
  CHECK(seen(watch) == Seen{{"bash", 10}});
}

TEST_CASE("no more than asked for, and parents that name one another end") {
  NeighbourWatch watch(kSelf);
  watch.look({{1, 2, "a", 0}, {2, 1, "b", 0}, {3, 3, "c", 0}, {4, 0, "d", 0}});
  watch.look({{1, 2, "a", 4}, {2, 1, "b", 3}, {3, 3, "c", 2}, {4, 0, "d", 1}});
  CHECK(seen(watch) == Seen{{"a", 4}, {"b", 3}, {"c", 2}});
  CHECK(watch.largest(0).empty());
}

}  // namespace
}  // namespace tailgate
