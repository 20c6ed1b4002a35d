// Fleets that are made up, of which the truth is known.
#include "harness/history/fleet.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tailgate::history {
namespace {

constexpr int kFleetMachines = 200;
constexpr int kMadeNights = 28;

struct MadeFleet {
  std::uint64_t seed = 1;
  int machines = kFleetMachines;
  int nights = kMadeNights;
  // What a machine's time is above the others', as a logarithm.
  std::function<double(int machine, int night)> drift = [](int, int) { return 0.0; };
};

// Four series. A night is slower or faster for all, a machine is a little faster or slower than
// others always, and its own nights scatter with heavy tails (Student's t, 3 degrees of freedom).
std::vector<FleetValue> fleet_values(const MadeFleet& made) {
  std::mt19937_64 random(made.seed);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3);
  std::vector<FleetValue> values;
  for (const char* metric : {"response_ns_p50", "response_ns_p99", "cpu_ns_per_event", "other"}) {
    std::vector<double> of_night;
    for (int night = 0; night < made.nights; ++night) of_night.push_back(0.05 * normal(random));
    for (int machine = 0; machine < made.machines; ++machine) {
      const double of_machine = 0.01 * normal(random);
      for (int night = 0; night < made.nights; ++night) {
        const double noise = 0.01 * heavy(random);
        FleetValue& one = values.emplace_back();
        one.fingerprint = "f";
        one.machine = fmt::format("m{:03}", machine);
        one.night = fmt::format("2026-{:02}-{:02}", 1 + night / 28, 1 + night % 28);
        one.series.metric = metric;
        one.value = 2000 * std::exp(of_night[static_cast<std::size_t>(night)] + of_machine + noise +
                                    made.drift(machine, night));
      }
    }
  }
  return values;
}

std::vector<std::string> named_in(const MadeFleet& made) {
  std::vector<std::string> machines;
  for (const MachineGroup& group : judge_fleet(fleet_values(made))) {
    for (const Drift& one : group.drifting) {
      if (machines.empty() || machines.back() != one.machine) machines.push_back(one.machine);
    }
  }
  return machines;
}

}  // namespace

TEST_CASE("no machine of a fleet of 200 equals is named") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(named_in({.seed = seed}).empty());
}

TEST_CASE("no machine of a small group of equals is named") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const int machines : {5, 9}) {
      INFO(seed << " " << machines);
      CHECK(named_in({.seed = seed, .machines = machines}).empty());
    }
  }
}

TEST_CASE("of 200 machines the one that drifts is named, and no other") {
  const auto step = [](int machine, int night) { return machine == 17 && night >= 22 ? 0.15 : 0; };
  const auto creep = [](int machine, int night) { return machine == 17 ? 0.008 * night : 0; };
  const auto always = [](int machine, int) { return machine == 17 ? -0.15 : 0; };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(named_in({.seed = seed, .drift = step}) == std::vector<std::string>{"m017"});
    CHECK(named_in({.seed = seed, .drift = creep}) == std::vector<std::string>{"m017"});
    CHECK(named_in({.seed = seed, .drift = always}) == std::vector<std::string>{"m017"});
  }
}

// Five machines say little about how machines scatter, but their nights say how nights do.
TEST_CASE("of five machines the one that drifts is named, and no other") {
  const auto step = [](int machine, int night) { return machine == 3 && night >= 22 ? 0.15 : 0; };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CHECK(named_in({.seed = seed, .machines = 5, .drift = step}) ==
          std::vector<std::string>{"m003"});
  }
}

TEST_CASE("a change of all machines is none of one machine") {
  CHECK(named_in({.drift = [](int, int night) { return night >= 20 ? 0.5 : 0; }}).empty());
}

TEST_CASE("a quarter of the fleet may drift without hiding that") {
  const auto quarter = [](int machine, int night) { return machine < 50 && night >= 22 ? 0.4 : 0; };
  const std::vector<MachineGroup> groups = judge_fleet(fleet_values({.drift = quarter}));
  std::size_t of_quarter = 0;
  for (const Drift& one : groups.at(0).drifting) of_quarter += one.machine < "m050" ? 1 : 0;
  CHECK(of_quarter == groups[0].drifting.size());
  CHECK(of_quarter > 150);  // of 50 machines in four series
}

TEST_CASE("few machines, few nights and old nights are not judged") {
  const auto drift = [](int machine, int) { return machine == 1 ? 1.0 : 0; };
  const auto few = judge_fleet(fleet_values({.machines = 4, .drift = drift}));
  REQUIRE(few.size() == 1);
  CHECK_FALSE(few[0].is_judged);
  CHECK(few[0].drifting.empty());
  CHECK(named_in({.nights = 2, .drift = drift}).empty());
  const auto long_ago = [](int machine, int night) { return machine == 1 && night < 20 ? 1.0 : 0; };
  CHECK(named_in({.nights = 60, .drift = long_ago}).empty());
  CHECK(judge_fleet({}).empty());
}

}  // namespace tailgate::history
