#include "harness/stats/pulse_train.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace tailgate;

namespace {

// In nanoseconds, as the search for a tick in a tenth of a second.
constexpr std::array<double, 2> kPeriods = {1e6, 4e6};
constexpr double kBegin = 5e12;
constexpr double kWidth = 20'000;

PulseSearch tenth_of_a_second() {
  return {
      .begin = kBegin, .end = kBegin + 1e8, .periods = kPeriods, .width = kWidth, .most_trains = 4};
}

// Instants at random, so many in each millisecond on average.
std::vector<double> strangers(double per_ms, std::mt19937_64& random) {
  std::exponential_distribution<double> apart(per_ms / 1e6);
  std::vector<double> instants;
  for (double at = kBegin + apart(random); at < kBegin + 1e8; at += apart(random)) {
    instants.push_back(at);
  }
  return instants;
}

struct Tick {
  double period = 1e6;
  double first = kBegin;
  double late_ns = 0;  // at random, by so much on average
  double seen = 1;     // share
};

void add(std::vector<double>& instants, const Tick& tick, std::mt19937_64& random) {
  std::exponential_distribution<double> late(tick.late_ns > 0 ? 1 / tick.late_ns : 1e9);
  std::uniform_real_distribution<double> chance(0, 1);
  for (double at = tick.first; at < kBegin + 1e8; at += tick.period) {
    if (chance(random) < tick.seen) instants.push_back(at + late(random));
  }
  std::sort(instants.begin(), instants.end());
}

}  // namespace

TEST_CASE("a train among strangers is found, and tells its pulses seconds later") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<double> instants = strangers(2, random);
    // By another clock, which gains 30 millionths.
    const Tick tick{.period = 1e6 * (1 + 30e-6),
                    .first = kBegin + 20'000.0 * seed,
                    .late_ns = 1000,
                    .seen = 0.9};
    add(instants, tick, random);
    const auto trains = find_pulse_trains(instants, tenth_of_a_second());
    REQUIRE(trains.size() == 1);
    const PulseTrain& train = trains[0];
    CHECK(train.period == Approx(tick.period).margin(20));
    for (const double number : {0.0, 50.0, 1000.0, 3000.0}) {
      const double pulse = tick.first + number * tick.period + 1000;
      CHECK(may_have_pulse(train, pulse - 1000, pulse + 1000));
      // Half a period away there is none.
      CHECK_FALSE(may_have_pulse(train, pulse + 5e5 - 1000, pulse + 5e5 + 1000));
    }
  }
}

TEST_CASE("pulses at the begin of a period are found as those in its middle") {
  std::mt19937_64 random(1);
  for (const double first : {0.0, 3'000.0, 500'000.0, 999'000.0}) {
    std::vector<double> instants;
    add(instants, {.first = kBegin + first, .late_ns = 2000}, random);
    const auto trains = find_pulse_trains(instants, tenth_of_a_second());
    REQUIRE(trains.size() == 1);
    const PulseTrain& train = trains[0];
    const double off = std::remainder(train.at - kBegin - first, 1e6);
    CHECK(off == Approx(2000).margin(1500));
  }
}

TEST_CASE("the shortest period that fits is taken") {
  std::mt19937_64 random(2);
  std::vector<double> instants;
  add(instants, {.period = 4e6, .first = kBegin + 1e6}, random);
  const auto trains = find_pulse_trains(instants, tenth_of_a_second());
  REQUIRE(trains.size() == 1);
  CHECK(trains[0].period == Approx(4e6));
}

TEST_CASE("two trains, also of one period, are both found, and no more than are wanted") {
  std::mt19937_64 random(4);
  std::vector<double> instants = strangers(1, random);
  add(instants, {.first = kBegin + 2e5, .late_ns = 1000}, random);
  add(instants, {.first = kBegin + 7e5, .late_ns = 1000}, random);
  add(instants, {.period = 4e6, .first = kBegin + 3e6 + 4e5, .late_ns = 1000}, random);
  PulseSearch search = tenth_of_a_second();
  const auto trains = find_pulse_trains(instants, search);
  REQUIRE(trains.size() == 3);
  CHECK(trains[0].period == Approx(1e6).epsilon(1e-4));
  CHECK(trains[1].period == Approx(1e6).epsilon(1e-4));
  CHECK(std::abs(std::remainder(trains[1].at - trains[0].at, 1e6)) == Approx(5e5).margin(5000));
  CHECK(trains[2].period == Approx(4e6).epsilon(1e-4));
  search.most_trains = 1;
  CHECK(find_pulse_trains(instants, search).size() == 1);
}

TEST_CASE("instants at random are no train") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const double per_ms = 0.2 * (1 + seed % 100);  // up to 20
    CHECK(find_pulse_trains(strangers(per_ms, random), tenth_of_a_second()).empty());
  }
}

TEST_CASE("a train needs 20 periods, most of them with a pulse") {
  std::mt19937_64 random(3);
  std::vector<double> instants;
  add(instants, {.seen = 0.4}, random);
  CHECK(find_pulse_trains(instants, tenth_of_a_second()).empty());
  PulseSearch search = tenth_of_a_second();
  search.end = kBegin + 1.9e7;
  instants.clear();
  add(instants, {}, random);
  std::erase_if(instants, [&](double at) { return at >= search.end; });
  CHECK(find_pulse_trains(instants, search).empty());
  CHECK(find_pulse_trains({}, tenth_of_a_second()).empty());
}

TEST_CASE("where the errors have added up to a period, a pulse may be anywhere") {
  const PulseTrain train{.period = 1000, .at = 0, .error = 10, .period_error = 1};
  CHECK(may_have_pulse(train, -5, 5));
  CHECK(may_have_pulse(train, 989, 990));  // 10 + 1 before the next one
  CHECK_FALSE(may_have_pulse(train, 980, 985));
  CHECK_FALSE(may_have_pulse(train, 400, 600));
  CHECK_FALSE(may_have_pulse(train, -600, -400));
  CHECK(may_have_pulse(train, 500'400, 500'600));
  CHECK(may_have_pulse(train, 100, 1100));  // longer than the way to the next one
}
