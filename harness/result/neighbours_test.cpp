#include "harness/result/neighbours.h"

#include <catch2/catch.hpp>

namespace tailgate {
namespace {

Neighbours trial(std::vector<NeighbourUse> processes, std::uint64_t stolen_ns = 0) {
  Neighbours neighbours;
  neighbours.observed_ns = 1'000'000'000;
  neighbours.processes = std::move(processes);
  neighbours.stolen_ns = stolen_ns;
  return neighbours;
}

TEST_CASE("who used most on average over the trials comes first, who used little is not named") {
  const Neighbours first = trial({{"dpkg", 0.6}, {"sshd", 0.04}, {"ld", 0.1}});
  const Neighbours second = trial({{"cc1plus", 1.2}, {"sshd", 0.04}, {"ld", 0.02}});
  const std::vector<NeighbourUse> notable = notable_neighbours({&first, &second});
  REQUIRE(notable.size() == 3);
  CHECK(notable[0].name == "cc1plus");
  CHECK(notable[0].cpu_share == Approx(0.6));
  CHECK(notable[1].name == "dpkg");
  CHECK(notable[1].cpu_share == Approx(0.3));
  CHECK(notable[2].name == "ld");  // 0.06 on average
  CHECK(names_of(notable) == "cc1plus, dpkg and ld");
}

TEST_CASE("at most three are named, and the hypervisor by its share of the time") {
  const Neighbours one = trial({{"a", 0.1}, {"b", 0.4}, {"c", 0.3}, {"d", 0.2}}, 350'000'000);
  CHECK(names_of(notable_neighbours({&one})) == "b, the hypervisor and c");
  const Neighbours stolen = trial({}, 50'000'000);
  CHECK(names_of(notable_neighbours({&stolen})) == "the hypervisor");
  const Neighbours little = trial({}, 40'000'000);
  CHECK(notable_neighbours({&little}).empty());
}

TEST_CASE("without trials, without a period or without a count there is nobody to name") {
  CHECK(notable_neighbours({}).empty());
  Neighbours none;
  CHECK(notable_neighbours({&none}).empty());
  none.stolen_ns = 5;
  CHECK(notable_neighbours({&none}).empty());
  CHECK(takers_of({&none}) == "others");
  CHECK(names_of({}).empty());
  CHECK(names_of({{"x", 1}, {"y", 1}}) == "x and y");
}

}  // namespace
}  // namespace tailgate
