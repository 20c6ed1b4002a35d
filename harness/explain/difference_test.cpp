// Differences that are planted into made-up rounds, of which the truth is known.
#include "harness/explain/difference.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tailgate::activity {
namespace {

PartName function(const std::string& name) {
  return {"function", name, "program"};
}

// Rounds in which 30 functions take 50 ns each, times a level that both sides of a round share and
// an error of their own.
class Rounds {
 public:
  explicit Rounds(std::uint64_t seed) : random_(seed) {}

  std::vector<RoundAmounts> draw(unsigned count, const std::map<PartName, double>& planted_ns) {
    std::vector<RoundAmounts> rounds(count);
    for (RoundAmounts& round : rounds) {
      const double level = std::exp(0.2 * normal_(random_));
      fill(round.a, level, {});
      fill(round.b, level, planted_ns);
    }
    return rounds;
  }

 private:
  void fill(SideAmounts& side, double level, const std::map<PartName, double>& planted_ns) {
    for (int i = 0; i < 30; ++i) side.parts[function("f" + std::to_string(i))] = 50 * level;
    for (const auto& [part, ns] : planted_ns) side.parts[part] += ns;
    side.whole = 20;
    for (auto& [part, ns] : side.parts) {
      ns += 4 * normal_(random_);
      side.whole += ns;
    }
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

double sum_of_parts(const DifferenceSum& sum) {
  double ns = 0;
  for (const DifferencePart& part : sum.parts) ns += part.difference_ns;
  return ns;
}

TEST_CASE("parts add up to the difference, whatever is listed") {
  const std::size_t listed = GENERATE(0u, 1u, 7u, 20u, 100u);
  const auto rounds = Rounds(3).draw(8, {{function("f3"), 38}});
  const DifferenceSum sum = difference_of(rounds, listed);
  CHECK(sum.parts.size() == std::min<std::size_t>(listed, 30) + 1);
  CHECK(sum.parts.back().cause == "rest");
  CHECK(sum_of_parts(sum) == Approx(sum.difference_ns));
  double a = 0;
  for (const DifferencePart& part : sum.parts) a += part.a_ns;
  CHECK(a == Approx(sum.a_ns));
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST_CASE("nights know the parts by cause, round by round, and all of the time") {
  RoundAmounts first;
  first.a.whole = 100;
  first.a.parts = {{function("f"), 20},
                   {function("g"), 10},
                   {{"function", "schedule", "kernel"}, 5},
                   {{"syscall", "write"}, 40},
                   {{"syscall", "fsync"}, 5},
                   {{"blocked_other", "kworker/1:2-events"}, 6},
                   {{"blocked_other", "kworker/0:3"}, 4}};
  first.b = first.a;
  RoundAmounts second = first;
  second.b.parts.erase({"syscall", "fsync"});
  second.b.parts[{"interrupt", "timer"}] = 3;
  const DifferenceSum sum = difference_of(std::vector{first, second}, 2);
  std::map<std::string, CauseRounds> causes;
  double a_ns = 0;
  for (const CauseRounds& one : sum.causes.value()) {
    CHECK(one.a_ns.size() == 2);
    CHECK(one.b_ns.size() == 2);
    a_ns += sum_of(one.a_ns);
    causes[one.cause] = one;
  }
  CHECK(causes.size() == 7);
  CHECK(a_ns == Approx(200));
  CHECK(causes["own_code"].a_ns == std::vector<double>{30, 30});
  CHECK(causes["kernel_code"].b_ns == std::vector<double>{5, 5});
  CHECK(causes["syscall_write"].b_ns == std::vector<double>{40, 40});
  CHECK(causes["syscall_fsync"].b_ns == std::vector<double>{5, 0});
  CHECK(causes["blocked_other_kworker"].a_ns == std::vector<double>{10, 10});
  CHECK(causes["interrupt"].b_ns == std::vector<double>{0, 3});
  CHECK(causes["rest"].a_ns[0] == Approx(10));
}

TEST_CASE("nights have the causes that a side has apart from its parts") {
  RoundAmounts round;
  round.a.whole = 100;
  round.a.parts = {{function("f"), 20}, {{"syscall", "write"}, 80}};
  round.a.causes = {{{"running"}, 35}, {{"machine"}, 5}, {{"syscall", "write"}, 60}};
  round.b = round.a;
  const DifferenceSum sum = difference_of(std::vector{round});
  CHECK(sum.parts.size() == 3);
  std::map<std::string, double> causes;
  for (const CauseRounds& one : sum.causes.value()) causes[one.cause] = one.b_ns.at(0);
  CHECK(causes ==
        std::map<std::string, double>{{"own_code", 40}, {"syscall_write", 60}, {"rest", 0}});
}

TEST_CASE("what was planted is named first, and its interval holds it") {
  unsigned held = 0;
  unsigned first = 0;
  constexpr unsigned kTries = 200;
  for (unsigned i = 0; i < kTries; ++i) {
    const auto rounds = Rounds(i).draw(8, {{function("f3"), 38}, {{"syscall", "getppid"}, 110}});
    const DifferenceSum sum = difference_of(rounds);
    first += sum.parts[0].name == "getppid" && sum.parts[1].name == "f3" ? 1 : 0;
    CHECK(sum.parts[0].distinct);
    held += *sum.parts[0].low_ns < 110 && 110 < *sum.parts[0].high_ns ? 1 : 0;
  }
  CHECK(first == kTries);
  // 95 % of 200 are 190; fewer than 180 have a probability of 0.4 %.
  CHECK(held >= 180);
}

TEST_CASE("equal sides have a distinct part in about one comparison of twenty") {
  unsigned distinct = 0;
  constexpr unsigned kTries = 400;
  for (unsigned i = 0; i < kTries; ++i) {
    const DifferenceSum sum = difference_of(Rounds(1000 + i).draw(6, {}));
    distinct += std::any_of(sum.parts.begin(), sum.parts.end(),
                            [](const DifferencePart& part) { return part.distinct; })
                    ? 1
                    : 0;
  }
  // More than 35 of 400 have a probability of 0.05 %.
  CHECK(distinct <= 35);
}

TEST_CASE("a large part that varies comes before a small one that does not") {
  std::vector<RoundAmounts> rounds(4);
  constexpr double kBlocked[] = {230, 420, 380, 570};  // 400 +- 222 by Student's t
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const double jitter = i % 2 == 0 ? 1 : -1;
    rounds[i].b.parts = {{{"blocked_io", "app"}, kBlocked[i]},
                         {{"softirq", "BLOCK"}, 50 + jitter},
                         {{"waiting", "other"}, 900 * jitter}};
    for (const char* name : {"f1", "f2", "f3", "f4"}) {
      rounds[i].b.parts[function(name)] = 5 * jitter;
    }
    for (const auto& [part, ns] : rounds[i].b.parts) rounds[i].b.whole += ns;
  }
  const DifferenceSum sum = difference_of(rounds);
  CHECK(sum.parts[0].cause == "blocked_io");
  CHECK(*sum.parts[0].low_ns == Approx(178).margin(1));
  CHECK_FALSE(sum.parts[0].distinct);
  CHECK(sum.parts[1].cause == "softirq");
  CHECK(sum.parts[1].distinct);
}

TEST_CASE("a part that only one side has counts with all of its time") {
  RoundAmounts round;
  round.a = {.whole = 100, .parts = {{{"blocked_io", "fsync"}, 30}}};
  round.b = {.whole = 75, .parts = {{function("checksum"), 10}}};
  const DifferenceSum sum = difference_of(std::vector{round, round});
  CHECK(sum.difference_ns == -25);
  REQUIRE(sum.parts.size() == 3);
  CHECK(sum.parts[0].name == "fsync");
  CHECK(sum.parts[0].difference_ns == -30);
  CHECK(sum.parts[1].name == "checksum");
  CHECK(sum.parts[1].b_ns == 10);
  CHECK(sum.parts[2].difference_ns == Approx(-5));  // 70 of A and 65 of B have no name
}

TEST_CASE("amounts add up to their whole, what is not listed included") {
  std::vector<RoundAmounts> rounds(6);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const auto more = static_cast<double>(i);
    rounds[i].a = {.whole = 4 + more, .parts = {{{"loss", "gap", "consumer"}, 4 + more}}};
    rounds[i].b = {.whole = 58 + more,
                   .parts = {{{"loss", "gap", "consumer"}, 5 + more},
                             {{"loss", "overrun", "provider"}, 50},
                             {{"loss", "refused", "call"}, 3}}};
  }
  const AmountSum sum = amount_difference_of(rounds, 2);
  CHECK(sum.rounds == 6);
  CHECK(sum.a == Approx(6.5));
  CHECK(sum.difference == Approx(54));
  REQUIRE(sum.parts.size() == 3);
  CHECK(sum.parts[0].name == "overrun");
  CHECK(sum.parts[0].module == "provider");
  CHECK(sum.parts[0].difference == Approx(50));
  CHECK(sum.parts[0].distinct);
  CHECK(sum.parts[1].name == "refused");
  CHECK(sum.parts[2].cause == "rest");
  CHECK(sum.parts[2].difference == Approx(1));
}

TEST_CASE("one round has no intervals, and nothing in it is distinct") {
  const DifferenceSum sum = difference_of(Rounds(1).draw(1, {{function("f1"), 1000}}));
  CHECK_FALSE(sum.low_ns);
  CHECK_FALSE(sum.parts[0].high_ns);
  CHECK_FALSE(sum.parts[0].distinct);
  CHECK(sum.parts[0].name == "f1");
}

TEST_CASE("the caller is the one to which the difference belongs") {
  const PartName call{"syscall", "write"};
  RoundAmounts round;
  round.a = {.whole = 100, .parts = {{call, 100}}, .callers = {{call, {{"log", 1}}}}};
  round.b = {
      .whole = 140, .parts = {{call, 140}}, .callers = {{call, {{"log", 0.7}, {"rotate", 0.3}}}}};
  CHECK(difference_of(std::vector{round}).parts[0].caller == "rotate");
  std::swap(round.a, round.b);  // B no longer calls it
  CHECK(difference_of(std::vector{round}).parts[0].caller == "rotate");
}

}  // namespace
}  // namespace tailgate::activity
