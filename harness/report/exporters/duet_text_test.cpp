#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/exporter.h"
#include "harness/report/human.h"
#include "harness/result/sample_duet.h"

namespace tailgate {
namespace {

using Catch::Contains;

// Four rounds of 2 us a call, for B a tenth more. In the third one call of B takes more than 1 ms,
// and in the last B is killed.
Duet four_rounds() {
  Duet duet = sample_duet({.rounds = 4, .all = 1.1, .cpu = 1.1, .spread = 1e-9});
  duet.rounds[2].b.over_1ms = 1;
  DuetRound& last = duet.rounds.back();
  last.b.outcome = TrialOutcome::killed;
  last.a.outcome = TrialOutcome::interrupted;
  last.remarks.push_back(
      {"side B: killed: the provider ended by signal 9 (Killed)", "leave the round out"});
  return duet;
}

TEST_CASE("a duet's table shows both sides and by how much B differs") {
  const std::string text = render(four_rounds(), "text");
  CHECK_THAT(text, Contains("service_ns_p50      1.999us 2.199us   +10.0%"));
  // 2500 ns, and 1.1 * 1.1 times as much.
  CHECK_THAT(text, Contains("cpu_ns_per_event    2.500us 3.025us   +21.0%"));
  CHECK_THAT(text, Contains("20k events/s; 3 rounds of 50 turns of 20.00ms a side, seed 1"));
  CHECK_THAT(text, Contains("carry-over, B after A against B after B: "));
  // A count is a difference of means, by 20,000 events: one in three rounds.
  CHECK_THAT(text, Contains("calls_over_1ms            0   0.333   +0.333"));
  CHECK_THAT(text, Contains("in 20k calls"));
  // Nothing is gated here, so nothing is said of margins.
  CHECK_THAT(text, !Contains("margin"));
}

TEST_CASE("an interval that so few rounds cannot give is left out") {
  CHECK_THAT(render(four_rounds(), "text"), Contains("2.199us   +10.0%\n"));
  Duet longer = four_rounds();
  longer.rounds.pop_back();
  for (int i = 0; i < 3; ++i) longer.rounds.push_back(longer.rounds.front());
  // Six rounds: from the smallest to the largest with 1 - 2 / 2^6 = 97 % confidence.
  CHECK_THAT(render(longer, "text"),
             Contains("+10.0%  +9.9% .. +10.0%") || Contains("+10.0% +10.0% .. +10.0%"));
}

TEST_CASE("rounds that were not completed are left out and remarked upon") {
  Duet duet = four_rounds();
  CHECK_THAT(render(duet, "text"), Contains("! round 3, side B: killed"));
  duet.rounds.erase(duet.rounds.begin(), duet.rounds.begin() + 3);
  CHECK_THAT(render(duet, "text"), Contains("no round was completed by both sides"));
}

TEST_CASE("rounds can be listed") {
  const std::string text = render(four_rounds(), "text", {.trials = true});
  CHECK_THAT(text, Contains("A p99.9"));
  CHECK_THAT(text, Contains("      2    1.999us    2.199us"));
}

TEST_CASE("a duet's table fits the terminal, whatever its labels and remarks") {
  Duet duet = four_rounds();
  duet.a.label = std::string(150, 'x');
  duet.label = "Wine: smoke, not Windows";
  duet.a.program = "some/where/" + std::string(90, 'y');
  for (int i = 0; i < 9; ++i) {
    duet.rounds[0].remarks.push_back({std::string(100, 'z'), "do what has to be done"});
  }
  duet.rounds[1].b.over_1ms = 19'000;
  duet.rounds[1].b.rss_bytes = 1'000'000'000'000;
  std::istringstream lines(render(duet, "text", {.trials = true}));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(columns_of(line) <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
  CHECK_THAT(render(duet, "text"), Contains("Wine: smoke") && Contains("more remarks"));
}

}  // namespace
}  // namespace tailgate
