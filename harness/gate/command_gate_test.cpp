#include "harness/gate/command_gate.h"

#include <catch2/catch.hpp>
#include <random>

namespace tailgate {
namespace {

using Catch::Matchers::Contains;

// The machine becomes slower by half during the duet, which both sides of a round feel.
CommandDuet measured(unsigned rounds, double b_times, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.01);
  CommandDuet duet;
  duet.a.label = "old";
  duet.b.label = "new";
  for (unsigned i = 0; i < rounds; ++i) {
    CommandRound& round = duet.rounds.emplace_back();
    round.index = i;
    const double ns = 1e6 * (1 + 0.5 * i / rounds);
    for (auto [run, times] : {std::pair(&round.a, 1.0), std::pair(&round.b, b_times)}) {
      run->outcome = TrialOutcome::completed;
      run->wall_ns = static_cast<std::uint64_t>(ns * times * noise(random));
      run->cpu_ns = static_cast<std::uint64_t>(ns * times * noise(random));
    }
  }
  return duet;
}

TEST_CASE("a command that takes ten per cent longer fails, the same one passes") {
  const Verdict worse = judge(measured(15, 1.1, 1), {}, default_policy());
  CHECK(worse.outcome == VerdictOutcome::fail);
  CHECK(worse.metrics[0].name == "wall_ns");
  CHECK(worse.metrics[0].effect == Approx(0.1).margin(0.02));
  CHECK(judge(measured(15, 1, 2), {}, default_policy()).outcome == VerdictOutcome::pass);
  CHECK(judge(measured(15, 1.1, 3), {.margin = 0.2, .metrics = {}}, default_policy()).outcome ==
        VerdictOutcome::pass);
}

TEST_CASE("too few rounds are inconclusive") {
  const CommandDuet few = measured(6, 1.5, 4);
  const Verdict verdict = judge(few, {}, default_policy());
  CHECK(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK(*verdict.rounds_needed >= 15);
  CHECK_FALSE(is_decided(few, {}, default_policy()));
  CHECK(is_decided(measured(15, 1.5, 4), {}, default_policy()));
}

TEST_CASE("figures that the commands print are judged in place of their times") {
  CommandDuet duet = measured(15, 1.5, 5);
  duet.reads = "numbers";
  for (CommandRound& round : duet.rounds) {
    round.a.figures = {{"value", "value", "", true, 10.0 + round.index}};
    round.b.figures = {{"value", "value", "", true, 10.1 + round.index}};
  }
  const Verdict verdict = judge(duet, {}, default_policy());
  CHECK(verdict.outcome == VerdictOutcome::pass);
  CHECK(judge(duet, {.margin = 0.05, .metrics = {"wall_ns"}}, default_policy()).outcome ==
        VerdictOutcome::fail);
  duet.rounds[3].b.figures.clear();
  CHECK(judge(duet, {}, default_policy()).outcome == VerdictOutcome::invalid);
  CHECK(judge(duet, {.margin = 0.05, .metrics = {"no"}}, default_policy()).outcome ==
        VerdictOutcome::invalid);
}

TEST_CASE("a B that does not work fails, an A that does not leaves nothing to compare") {
  CommandDuet duet = measured(15, 1, 6);
  duet.rounds[7].b.outcome = TrialOutcome::failed;
  duet.rounds[7].b.outcome_detail = "exit code 3; what it printed: duet.b.log";
  const Verdict fails = judge(duet, {}, default_policy());
  CHECK(fails.outcome == VerdictOutcome::fail);
  CHECK_THAT(fails.reasons.front().what, Contains("side B did not complete round 7") &&
                                             Contains("exit code 3") && Contains("duet.b.log"));
  duet.rounds[9].a.outcome = TrialOutcome::hung;
  CHECK(judge(duet, {}, default_policy()).outcome == VerdictOutcome::invalid);
}

TEST_CASE("the verdict says why, where that was measured") {
  CommandDuet duet = measured(15, 1.5, 6);
  CHECK_FALSE(judge(duet, {}, default_policy()).difference);
  duet.difference.emplace();
  duet.difference->rounds = 7;
  const Verdict verdict = judge(duet, {}, default_policy());
  REQUIRE(verdict.difference);
  CHECK(verdict.difference->rounds == 7);
}

TEST_CASE("the verdict has what a reader of the duet must know") {
  CommandDuet duet = measured(15, 1, 6);
  duet.remarks.push_back({"why the sides differ could not be measured: refused", "run as root"});
  const Verdict verdict = judge(duet, {}, default_policy());
  REQUIRE(verdict.remarks.size() == 1);
  CHECK(verdict.remarks[0].what == "why the sides differ could not be measured: refused");
}

TEST_CASE("runs with the same layouts count as one") {
  CommandDuet duet = measured(15, 1.1, 7);
  for (CommandRound& round : duet.rounds) round.layout_pair = round.index;
  CHECK(judge(duet, {}, default_policy()).outcome == VerdictOutcome::fail);
  for (CommandRound& round : duet.rounds) round.layout_pair = round.index % 5;
  duet.b.layouts = 5;
  const Verdict verdict = judge(duet, {}, default_policy());
  CHECK(verdict.outcome == VerdictOutcome::inconclusive);
  CHECK(verdict.layouts == 5);
}

TEST_CASE("a duet without rounds is invalid") {
  CHECK(judge(CommandDuet(), {}, default_policy()).outcome == VerdictOutcome::invalid);
  CHECK(describe_figures(CommandDuet()).empty());
}

}  // namespace
}  // namespace tailgate
