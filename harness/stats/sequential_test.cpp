#include "harness/stats/sequential.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace tailgate {
namespace {

// Spread of a round's log ratio, of the size that duets were measured to have.
constexpr double kSpread = 0.03;

const Looks kLooks = {.rounds = {15, 25, 35, 50}, .false_fail = 0.001, .false_pass = 0.05};

enum class Shape { normal, heavy };

// `count` metrics of 50 rounds without a change: every metric has a part that all share, one in
// seven rounds is wild, and heavy ones have no variance (Student's t with two degrees of freedom).
std::vector<PairedMetric> unchanged(std::mt19937_64& random, std::size_t count, Shape shape) {
  std::normal_distribution<double> normal(0, kSpread);
  std::student_t_distribution<double> heavy(2);
  const auto draw = [&] {
    return shape == Shape::normal ? normal(random) : kSpread * heavy(random);
  };
  std::vector<PairedMetric> metrics(count);
  for (PairedMetric& metric : metrics) metric.margin = std::log(1.05);
  for (std::size_t round = 0; round < 50; ++round) {
    const double shared = draw();
    const double wild = random() % 7 == 0 ? 5 : 1;
    for (PairedMetric& metric : metrics) metric.effects.push_back(wild * (shared + draw()) / 2);
  }
  return metrics;
}

void shift(PairedMetric& metric, double by) {
  for (double& effect : metric.effects) effect += by;
}

// With looks at .00025 and p(0) exact, at most one A/A decision in a thousand fails (on average 0.3
// of these 300); that none of them does is the procedure's aim.
TEST_CASE("sides that do not differ do not fail") {
  const Shape shape = GENERATE(Shape::normal, Shape::heavy);
  std::mt19937_64 random(101);
  for (int gate = 0; gate < 150; ++gate) {
    const auto decision = decide(unchanged(random, 12, shape), kLooks);
    CHECK(decision.decision != Decision::fail);
  }
}

TEST_CASE("sides that do not differ pass early with usual spread") {
  std::mt19937_64 random(102);
  int passed = 0;
  std::size_t rounds = 0;
  for (int gate = 0; gate < 50; ++gate) {
    const auto decision = decide(unchanged(random, 12, Shape::normal), kLooks);
    passed += decision.decision == Decision::pass ? 1 : 0;
    rounds += decision.rounds;
  }
  CHECK(passed >= 48);
  CHECK(rounds / 50 <= 25);
}

TEST_CASE("ten percent in one metric fails, and that metric alone") {
  std::mt19937_64 random(103);
  for (int gate = 0; gate < 30; ++gate) {
    auto metrics = unchanged(random, 12, Shape::normal);
    shift(metrics[7], std::log(1.10));
    const auto decision = decide(metrics, kLooks);
    REQUIRE(decision.decision == Decision::fail);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      CHECK((decision.metrics[i].decision == Decision::fail) == (i == 7));
    }
  }
}

TEST_CASE("a change at the margin is neither passed nor failed") {
  std::mt19937_64 random(104);
  int decided = 0;
  for (int gate = 0; gate < 50; ++gate) {
    auto metrics = unchanged(random, 2, Shape::normal);
    shift(metrics[0], metrics[0].margin);
    decided += decide(metrics, kLooks).decision == Decision::undecided ? 0 : 1;
  }
  // Passing at the margin has probability .05 at most: 2.5 of 50; three standard errors more are 7.
  CHECK(decided <= 7);
}

// All fifteen of the first look's rounds point the same way: of 16,384 patterns only the observed
// one, and by chance one or two more, are as extreme.
TEST_CASE("what is plain is decided at the first look") {
  PairedMetric worse{std::vector<double>(50, 0.5), 0.05, 0};
  const auto failed = decide({worse}, kLooks);
  CHECK(failed.decision == Decision::fail);
  CHECK(failed.rounds == 15);
  PairedMetric equal{std::vector<double>(50, 0.0), 0.05, 0};
  const auto passed = decide({equal}, kLooks);
  CHECK(passed.decision == Decision::pass);
  CHECK(passed.rounds == 15);
  PairedMetric better{std::vector<double>(50, -0.5), 0.05, 0};
  CHECK(decide({better}, kLooks).decision == Decision::pass);
}

TEST_CASE("one metric that is not decided keeps the others from passing") {
  std::mt19937_64 random(105);
  PairedMetric noisy{{}, 0.05, 0};
  for (int i = 0; i < 50; ++i) noisy.effects.push_back(random() % 2 == 0 ? 0.9 : -0.9);
  const PairedMetric equal{std::vector<double>(50, 0.0), 0.05, 0};
  const auto decision = decide({equal, noisy}, kLooks);
  CHECK(decision.decision == Decision::undecided);
  CHECK(decision.rounds == 50);
  CHECK(decision.looked);
  CHECK(decision.metrics[0].decision == Decision::pass);
  CHECK(decision.metrics[1].decision == Decision::undecided);
}

// When the time is up the rounds since the last look count, too.
TEST_CASE("rounds that end between two looks are looked at once more") {
  std::mt19937_64 random(106);
  std::normal_distribution<double> noise(0, 0.1);
  int by_the_end = 0;
  for (int i = 0; i < 100; ++i) {
    PairedMetric metric{{}, 0.05, 0};
    for (int round = 0; round < 31; ++round) metric.effects.push_back(noise(random));
    SequentialDecision wanted;
    for (const std::size_t rounds : {15, 25, 31}) {
      wanted = look({metric}, {rounds, kLooks.fail_level(), kLooks.pass_level(), kLooks.patterns},
                    kLooks.seed);
      if (wanted.decision != Decision::undecided) break;
    }
    const SequentialDecision seen = decide({metric}, kLooks);
    CHECK(seen.decision == wanted.decision);
    CHECK(seen.rounds == wanted.rounds);
    by_the_end += seen.rounds == 31 && seen.decision == Decision::pass ? 1 : 0;
  }
  CHECK(by_the_end > 0);
}

// Beyond a negative margin, but not beyond no change: only where an improvement was promised does
// that fail.
TEST_CASE("to fail, an effect must also exceed no change") {
  PairedMetric metric{std::vector<double>(50, -0.01), -0.2, 0};
  CHECK(decide({metric}, kLooks).decision == Decision::undecided);
  metric.no_change = metric.margin;
  CHECK(decide({metric}, kLooks).decision == Decision::fail);
}

TEST_CASE("too few rounds decide nothing") {
  const PairedMetric worse{std::vector<double>(14, 0.5), 0.05, 0};
  const auto decision = decide({worse}, kLooks);
  CHECK(decision.decision == Decision::undecided);
  CHECK_FALSE(decision.looked);
  CHECK(decision.rounds == 14);
  CHECK(decision.metrics[0].p_within == 1.0 / 16'384);
  CHECK(decide({}, kLooks).decision == Decision::undecided);
}

TEST_CASE("rounds after the deciding look do not matter") {
  PairedMetric metric{std::vector<double>(50, 0.5), 0.05, 0};
  std::fill(metric.effects.begin() + 15, metric.effects.end(), -9.0);
  CHECK(decide({metric}, kLooks).decision == Decision::fail);
}

// Looks of duets that are resumed as long as they are undecided.
const Looks kResumed = {.rounds = {15, 30, 50},
                        .resumed = {100, 200},
                        .resumed_share = 0.1,
                        .false_fail = 0.001,
                        .false_pass = 0.05};

TEST_CASE("all looks together spend the errors once, those of resumed duets a small share") {
  double fail = 0;
  double pass = 0;
  for (const PlannedLook& planned : kResumed.all()) {
    fail += planned.fail_level;
    pass += planned.pass_level;
    CHECK(static_cast<double>(planned.patterns) * planned.fail_level >= 4);
  }
  CHECK(fail == Approx(0.001));
  CHECK(pass == Approx(0.05));
  CHECK(kResumed.all()[2].fail_level == Approx(0.0003));
  CHECK(kResumed.all()[3].fail_level == Approx(0.00005));
  CHECK(kResumed.last() == 200);
  CHECK(kLooks.last() == 50);
}

std::vector<std::size_t> rounds_with_stops(const std::vector<std::size_t>& stops) {
  std::vector<std::size_t> rounds;
  for (const PlannedLook& planned : looks_with_stops(kResumed, stops)) {
    rounds.push_back(planned.rounds);
  }
  return rounds;
}

TEST_CASE("a stop between two looks spends the one that it did not reach") {
  using Rounds = std::vector<std::size_t>;
  CHECK(rounds_with_stops({}) == Rounds{15, 30, 50, 100, 200});
  CHECK(rounds_with_stops({10}) == Rounds{15, 30, 50, 100, 200});
  CHECK(rounds_with_stops({15, 50, 100}) == Rounds{15, 30, 50, 100, 200});
  CHECK(rounds_with_stops({40}) == Rounds{15, 30, 40, 100, 200});
  CHECK(rounds_with_stops({40, 45, 60}) == Rounds{15, 30, 40, 45, 60});
  CHECK(rounds_with_stops({7, 20, 120, 300}) == Rounds{15, 20, 50, 100, 120});
}

PairedMetric drawn(std::mt19937_64& random, double effect, std::size_t rounds) {
  std::normal_distribution<double> normal(effect, kSpread);
  PairedMetric metric{{}, std::log(1.05), 0};
  for (std::size_t round = 0; round < rounds; ++round) metric.effects.push_back(normal(random));
  return metric;
}

// One in 100 sides that do not differ may fail, and one in 20 at the margin pass: of 150 on average
// 1.5 and 7.5; with three standard errors more 5 and 15.
TEST_CASE("duets that are resumed until the last look keep the errors", "[long]") {
  std::mt19937_64 random(107);
  Looks looks = kResumed;
  looks.false_fail = 0.01;
  int failed = 0;
  int passed = 0;
  for (int gate = 0; gate < 150; ++gate) {
    PairedMetric equal = drawn(random, 0, 200);
    equal.margin = 0;  // nothing can pass, so every look is a chance to fail
    failed += decide({equal}, looks).decision == Decision::fail ? 1 : 0;
    const auto at_margin = decide({drawn(random, std::log(1.05), 200)}, looks).decision;
    passed += at_margin == Decision::pass ? 1 : 0;
  }
  CHECK(failed <= 5);
  CHECK(passed <= 15);
}

// An effect of 0.45 standard deviations beyond the margin is told by 200 rounds, not by 50.
TEST_CASE("a duet that is resumed decides what its first looks could not") {
  std::mt19937_64 random(108);
  int early = 0;
  int late = 0;
  for (int gate = 0; gate < 20; ++gate) {
    const PairedMetric metric = drawn(random, std::log(1.05) + 0.45 * kSpread, 200);
    PairedMetric first = metric;
    first.effects.resize(50);
    early += decide({first}, kResumed).decision == Decision::fail ? 1 : 0;
    late += decide({metric}, kResumed).decision == Decision::fail ? 1 : 0;
  }
  CHECK(early <= 15);
  CHECK(late >= 19);
}

// A wider margin never turns a pass into anything else, nor something else into a fail.
TEST_CASE("a wider margin is never stricter") {
  std::mt19937_64 random(106);
  for (int gate = 0; gate < 5; ++gate) {
    auto metrics = unchanged(random, 3, Shape::normal);
    shift(metrics[1], 0.08);
    int last = -1;  // fail -1, undecided 0, pass 1
    for (double margin = 0; margin < 0.3; margin += 0.02) {
      metrics[1].margin = margin;
      const Decision decision = decide(metrics, kLooks).decision;
      const int rank = decision == Decision::pass ? 1 : decision == Decision::fail ? -1 : 0;
      CHECK(rank >= last);
      last = rank;
    }
    CHECK(last == 1);
  }
}

// The normal quantile at .0125 is 2.2414, at .00025 / 10 it is 4.0556.
TEST_CASE("the rounds that a decision would need") {
  const auto needed = [](double statistic, double between = 0) {
    MetricDecision decision;
    decision.statistic = statistic;
    decision.between_clusters = between;
    return rounds_needed(decision, 50, 10, kLooks);
  };
  CHECK(needed(-1.12) == Approx(50 * 4.005).margin(1));
  CHECK(needed(2.03) == Approx(50 * 3.991).margin(1));
  CHECK(needed(-3) == 50);
  CHECK(needed(0) == 100'000);
  // A tenth of the variance stays: (1 - 0.1) / (1 / 4.005 - 0.1). Of more no rounds help.
  CHECK(needed(-1.12, 0.1) == Approx(50 * 0.9 / (1 / 4.005 - 0.1)).margin(1));
  CHECK(needed(-1.12, 0.25) == 100'000);
}

TEST_CASE("metrics of different rounds are refused") {
  const PairedMetric three{{1, 2, 3}, 0, 0};
  const PairedMetric two{{1, 2}, 0, 0};
  CHECK_THROWS_AS(decide({three, two}, kLooks), std::invalid_argument);
  CHECK_THROWS_AS(decide({PairedMetric{}}, kLooks), std::invalid_argument);
  CHECK_THROWS_AS(look({three}, {4, 0.1, 0.1, 100}, 1), std::invalid_argument);
}

// 50 rounds of sides whose builds have other layouts in memory: the difference of a pair of layouts
// has a standard deviation of 3 %, a round adds 1 %. With one pair, all rounds have it.
constexpr std::size_t kPairs = 15;

struct LayoutRounds {
  PairedMetric metric;
  Clusters pairs;
};

LayoutRounds with_layouts(std::mt19937_64& random, double effect, std::size_t pairs) {
  std::normal_distribution<double> of_layout(0, 0.03);
  std::normal_distribution<double> of_round(0, 0.01);
  std::vector<double> layouts(pairs);
  for (double& layout : layouts) layout = of_layout(random);
  LayoutRounds rounds{{{}, std::log(1.05), 0}, {}};
  for (std::size_t round = 0; round < 50; ++round) {
    rounds.pairs.push_back(round % pairs);
    rounds.metric.effects.push_back(effect + layouts[round % pairs] + of_round(random));
  }
  return rounds;
}

const Looks kLayoutLooks = {.rounds = {15, 30, 50},
                            .false_fail = 0.001,
                            .false_pass = 0.05,
                            .patterns = 4096,
                            .clusters = kPairs};

double share(Decision wanted, double effect, std::size_t pairs, bool clustered, unsigned seed) {
  constexpr int kGates = 1000;
  std::mt19937_64 random(seed);
  int found = 0;
  for (int gate = 0; gate < kGates; ++gate) {
    const LayoutRounds rounds = with_layouts(random, effect, pairs);
    const auto decision =
        decide({rounds.metric}, kLayoutLooks, clustered ? rounds.pairs : Clusters());
    found += decision.decision == wanted ? 1 : 0;
  }
  return static_cast<double>(found) / kGates;
}

// At most 1 in 1000 fails; that three or more of 1000 do then has a probability of 8 %, and the
// true rate is far lower, since a fail must also be beyond the margin. With one layout of each
// side, a difference of 5.35 % or more fails, which is 1.8 standard deviations: 3.7 %.
TEST_CASE("a harmless change does not fail by its layouts, as it does with one layout", "[long]") {
  CHECK(share(Decision::fail, 0, kPairs, true, 107) <= 0.002);
  CHECK(share(Decision::fail, 0, 1, false, 108) >= 0.02);
}

// At the margin 5 % pass at most; the sample's limit adds two standard errors. A test of rounds
// takes the layouts of the later looks for new ones.
TEST_CASE("a change at the margin does not pass by its layouts", "[long]") {
  const double at_margin = std::log(1.05);
  const double clustered = share(Decision::pass, at_margin, kPairs, true, 109);
  CHECK(clustered <= 0.064);
  CHECK(share(Decision::pass, at_margin, kPairs, false, 109) > clustered);
  CHECK(share(Decision::pass, at_margin, 1, false, 110) >= 0.3);
}

TEST_CASE("a large change is found whatever the layouts do", "[long]") {
  CHECK(share(Decision::fail, 0.15, kPairs, true, 111) >= 0.95);
  CHECK(share(Decision::pass, 0, kPairs, true, 112) >= 0.8);
}

// Between clusters only: each round repeats its cluster. Within only: clusters have the same mean.
TEST_CASE("the share of the variance that more rounds of the same clusters leave") {
  const PairedMetric between{{1, 1, 2, 2, 4, 4}, 0, 0};
  const PairedMetric within{{1, 3, 2, 2, 0, 4}, 0, 0};
  const Clusters pairs = {5, 5, 9, 9, 2, 2};
  Looks looks = kLayoutLooks;
  const PlannedLook six{6, looks.fail_level(), looks.pass_level(), looks.patterns};
  CHECK(look({between}, six, looks.seed, pairs).metrics[0].between_clusters == 1);
  CHECK(look({within}, six, looks.seed, pairs).metrics[0].between_clusters == 0);
  CHECK(look({between}, six, looks.seed).metrics[0].between_clusters == 0);
  // Mean squares of 3.7917 between and 0.05 within, with 2 and 3 degrees of freedom.
  const PairedMetric both{{1.1, 0.9, 2.5, 2, 3.8, 3.7}, 0, 0};
  CHECK(look({both}, six, looks.seed, pairs).metrics[0].between_clusters ==
        Approx(1 - 9.5521 * 0.05 / 3.7917).margin(0.001));
  CHECK_THROWS_AS(look({between}, six, looks.seed, {1, 1, 2}), std::invalid_argument);
}

TEST_CASE("without a look there is nothing to decide") {
  CHECK_THROWS_AS(decide({PairedMetric{{1, 2, 3}, 0, 0}}, Looks{}), std::invalid_argument);
}

TEST_CASE("looks before a round are none, and the others share the errors") {
  Looks looks = kLooks;
  looks.rounds = {15, 30, 50};
  looks.resumed = {};
  CHECK(looks.from_round(0).rounds == looks.rounds);
  CHECK(looks.from_round(15).rounds == looks.rounds);
  const Looks later = looks.from_round(16);
  CHECK(later.rounds == std::vector<std::size_t>{30, 50});
  CHECK(later.fail_level() * 2 == Approx(looks.fail_level() * 3));
  CHECK(looks.from_round(1000).rounds == std::vector<std::size_t>{50});
}

TEST_CASE("decisions that share an error have patterns enough to tell theirs") {
  const Looks shared = kLooks.shared_by(9);
  CHECK(shared.fail_level() == Approx(0.001 / 4 / 9));
  for (const PlannedLook& planned : shared.all()) {
    CHECK(static_cast<double>(planned.patterns) * planned.fail_level >= 4);
  }
  CHECK(kLooks.shared_by(1).all().back().patterns == kLooks.patterns);
  CHECK(kLooks.least_false_fail() < 1e-12);
  Looks few = kLooks;
  few.rounds = {8};
  CHECK(few.least_false_fail() == 1.0 / 256);
  few.rounds = {15, 30, 50};
  few.clusters = 10;
  CHECK(few.least_false_fail() == 3.0 / 1024);
}

}  // namespace
}  // namespace tailgate
