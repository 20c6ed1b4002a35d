#include "harness/report/duet_text.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "harness/report/human.h"
#include "harness/result/sample.h"

namespace tailgate {
namespace {

using Catch::Contains;

TEST_CASE("a duet's table shows both sides and by how much B differs") {
  const std::string text = render_duet(sample_duet(), {});
  // 1001 and 1101 ns in the middle one of the three whole rounds.
  CHECK_THAT(text, Contains("service_ns_p50      1.001us 1.101us   +10.0%"));
  CHECK_THAT(text, Contains("cpu_ns_per_event    1.000us 1.200us   +20.0%"));
  CHECK_THAT(text, Contains("20k events/s; 3 rounds of 50 slices of 20.00ms a side, seed 1"));
  CHECK_THAT(text, Contains("carry-over, B after A against B after B: "));
  // A count is a difference, by 20,000 events: none in two rounds of three.
  CHECK_THAT(text, Contains("calls_over_1ms            0       0       +0"));
  CHECK_THAT(text, Contains("in 20,000 calls"));
  // Nothing is gated here, so nothing is said of margins.
  CHECK_THAT(text, !Contains("margin"));
}

TEST_CASE("an interval that so few rounds cannot give is left out") {
  CHECK_THAT(render_duet(sample_duet(), {}), Contains("1.101us   +10.0%\n"));
  Duet longer = sample_duet();
  longer.rounds.pop_back();
  for (int i = 0; i < 3; ++i) longer.rounds.push_back(longer.rounds.front());
  // Six rounds: from the smallest to the largest with 1 - 2 / 2^6 = 97 % confidence.
  CHECK_THAT(render_duet(longer, {}),
             Contains("+10.0%  +9.9% .. +10.0%") || Contains("+10.0% +10.0% .. +10.0%"));
}

TEST_CASE("rounds that were not completed are left out and remarked upon") {
  Duet duet = sample_duet();
  CHECK_THAT(render_duet(duet, {}), Contains("! round 3, side B: killed"));
  duet.rounds.erase(duet.rounds.begin(), duet.rounds.begin() + 3);
  CHECK_THAT(render_duet(duet, {}), Contains("no round was completed by both sides"));
}

TEST_CASE("rounds can be listed") {
  const std::string text = render_duet(sample_duet(), {.colour = false, .trials = true});
  CHECK_THAT(text, Contains("A p99.9"));
  CHECK_THAT(text, Contains("      2    1.002us    1.102us"));
}

TEST_CASE("a duet's table fits the terminal, whatever its labels and remarks") {
  Duet duet = sample_duet();
  duet.a.label = std::string(150, 'x');
  duet.label = "Wine: smoke, not Windows";
  duet.a.program = "some/where/" + std::string(90, 'y');
  for (int i = 0; i < 9; ++i) {
    duet.rounds[0].remarks.push_back({std::string(100, 'z'), "do what has to be done"});
  }
  duet.rounds[1].b.over_1ms = 19'000;
  duet.rounds[1].b.rss_bytes = 1'000'000'000'000;
  std::istringstream lines(render_duet(duet, {.colour = false, .trials = true}));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(columns_of(line) <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
  CHECK_THAT(render_duet(duet, {}), Contains("Wine: smoke") && Contains("more remarks"));
}

}  // namespace
}  // namespace tailgate
