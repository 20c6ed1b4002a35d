#include "harness/gate/budget.h"

#include <catch2/catch.hpp>

#include "harness/base/error.h"

namespace tailgate {
namespace {

using Catch::Contains;

// What fails and what to do, in one text.
std::string refusal_of(const std::string& budget) {
  try {
    parse_budget(budget);
  } catch (const Error& error) {
    return error.what_failed() + " -> " + error.remedy();
  }
  return "accepted";
}

TEST_CASE("a budget names a sink, a rate and bounds") {
  const Budget budget = parse_budget("file@20k: p99 < 50us, lost = 0");
  CHECK(budget.sink == "file");
  CHECK(budget.scenario.empty());
  CHECK(budget.rate_hz == 20'000);
  REQUIRE(budget.bounds.size() == 2);
  CHECK(budget.bounds[0].quantity->name == "p99");
  CHECK(budget.bounds[0].relation == BoundRelation::below);
  CHECK(budget.bounds[0].limit == 50'000);
  CHECK(budget.bounds[0].text == "p99 < 50us");
  CHECK(budget.bounds[1].limit == 0);
  CHECK(budget.bounds[1].relation == BoundRelation::exactly);
}

TEST_CASE("colons and at signs of a sink's label do not end it") {
  struct Given {
    const char* text;
    const char* scenario;
    const char* sink;
    std::optional<double> rate_hz;
  };
  const Given given = GENERATE(
      Given{"file:mode=mmap: lost = 0", "", "file:mode=mmap", {}},
      Given{"file:mode=mmap@1.5k:lost=0", "", "file:mode=mmap", 1500},
      Given{"steady@file:mode=fdatasync:sync_every=1@max : lost=0", "steady",
            "file:mode=fdatasync:sync_every=1", 0},
      Given{"kilobyte-10k@spdlog: lost = 0", "kilobyte-10k", "spdlog", {}},
      Given{"./libmine.so:queue=5@500:lost = 0", "", "./libmine.so:queue=5", 500},
      Given{"steady@/opt/a@b/libmine.so@2M: lost = 0", "steady", "/opt/a@b/libmine.so", 2e6},
      Given{"/opt/a@b/libmine.so: lost = 0", "", "/opt/a@b/libmine.so", {}});
  const Budget budget = parse_budget(given.text);
  CHECK(budget.scenario == given.scenario);
  CHECK(budget.sink == given.sink);
  CHECK(budget.rate_hz == given.rate_hz);
}

TEST_CASE("limits have units") {
  struct Given {
    const char* bound;
    double limit;
  };
  const Given given = GENERATE(
      Given{"p50 < 800ns", 800}, Given{"p90<=1.5us", 1500}, Given{"p99.9 < 2 ms", 2e6},
      Given{"max <= 1s", 1e9}, Given{"  service   p99.9 < 10us ", 10'000}, Given{"lost <= 10", 10},
      Given{"lost < 0.5%", 0.005}, Given{"cpu < 2us", 2000}, Given{"rate >= 20k", 20'000},
      Given{"rate > 1.5M", 1.5e6}, Given{"rss < 64MiB", 67108864}, Given{"rss <= 5kB", 5000});
  INFO(given.bound);
  CHECK(parse_bound(given.bound).limit == Approx(given.limit));
}

TEST_CASE("an error quotes what is wrong and shows the right form") {
  struct Given {
    const char* text;
    const char* said;
  };
  const Given given = GENERATE(
      Given{"", "no budget: no bounds follow"}, Given{"file", "'file' is no budget"},
      Given{"file:p98<5us", "did you mean 'p90'?"}, Given{"null:p99", "it has no <"},
      Given{"file:", "''"}, Given{": p99 < 5us", "names no sink"},
      Given{"file: p98 < 5us", "'p98', which is no figure"},
      Given{"file: service lost = 0", "'service lost'"},
      Given{"file: p99", "'p99' is no bound: it has no <"},
      Given{"file: p99 < 50", "'50' does not end in a unit of p99 -> write p99 < 50us"},
      Given{"file: p99 < 50m", "'50m' does not end in a unit"},
      Given{"file: p99 < fast", "'fast' is no number"},
      Given{"file: p99 < -5us", "'p99 < -5us' is no bound"},
      Given{"file: p99 < 0us", "'p99 < 0us' is no bound"}, Given{"file: p99 < infus", "no number"},
      Given{"file: p99 < 1e999us", "does not end in a unit"},
      Given{"file: p99 > 5us", "'p99 > 5us' is not bounded by '>' -> write p99 < 50us"},
      Given{"file: p99 == 5us", "by '=='"}, Given{"file: lost = 5", "'lost = 5' is no bound"},
      Given{"file: lost < 0", "'lost < 0' is no bound"},
      Given{"file: lost <= 1.5", "'lost <= 1.5' is no bound"},
      Given{"file: lost < 101%", "'lost < 101%' is no bound"},
      Given{"file: rate < 20k", "not bounded by '<' -> write rate >= 20k"},
      Given{"file: rate >= 20kHz", "'20kHz' does not end in a unit of rate"},
      Given{"file: rss < 5", "write rss < 64MiB"},
      Given{"file: p99 < 5us, p99 <= 6us", "'p99 < 5us' and 'p99 <= 6us' bound the same"},
      Given{"file: p99 < 5us,", "''"},
      Given{"file@20q: p99 < 5us", "'20q' is no rate -> write events per second"},
      Given{"file@-5: p99 < 5us", "'-5' is no rate"});
  INFO(given.text);
  CHECK_THAT(refusal_of(given.text), Contains(given.said));
}

TEST_CASE("a misspelt figure is told the nearest one, and a long text is not quoted") {
  CHECK_THAT(refusal_of("file: servise p99 < 5us"), Contains("did you mean 'service p99'?"));
  const std::string said = refusal_of("file: " + std::string(5000, 'x'));
  CHECK_THAT(said, Contains("5006 bytes is too long"));
  CHECK(said.size() < 200);
}

Result result_of(const std::string& label, const std::string& preset) {
  Result result;
  result.sink.name = label.substr(0, label.find(':'));
  result.sink.label = label;
  result.scenario.name = "steady";
  result.scenario.preset = preset;
  return result;
}

TEST_CASE("a budget is for a sink as given or by name, a scenario or preset, and a rate") {
  const Result result = result_of("file:mode=mmap", "quick");
  StepSummary step;
  step.rate_hz = 20'000;
  const auto matches = [&](const char* subject) {
    return parse_budget(std::string(subject) + ": lost = 0").matches(result, step);
  };
  CHECK(matches("file"));
  CHECK(matches("file:mode=mmap"));
  CHECK(matches("steady@file@20k"));
  CHECK(matches("quick@file:mode=mmap@20000"));
  CHECK_FALSE(matches("file:mode=write"));
  CHECK_FALSE(matches("fil"));
  CHECK_FALSE(matches("burst@file"));
  CHECK_FALSE(matches("file@10k"));
  CHECK_FALSE(matches("file@max"));
  step.rate_hz = 0;
  CHECK(matches("file@max"));
}

TEST_CASE("a file of budgets") {
  const auto budgets = parse_budgets(R"(
[[budget]]
sink = "file:mode=mmap"
scenario = "steady"
rate = "20k"
bounds = ["p99 < 50us", "lost = 0"]

[[budget]]
sink = "spdlog"
rate = 1000
bounds = ["max < 1s"]
)",
                                     "budget.toml");
  REQUIRE(budgets.size() == 2);
  CHECK(budgets[0].subject() == "steady@file:mode=mmap@20k");
  CHECK(budgets[0].bounds.size() == 2);
  CHECK(budgets[1].rate_hz == 1000);
  CHECK(budgets[1].subject() == "spdlog@1k");
}

TEST_CASE("an error in a file of budgets names its line") {
  struct Given {
    const char* text;
    const char* said;
  };
  const std::string head = "[[budget]]\nsink = \"file\"\n";
  const Given given = GENERATE(
      Given{"bounds = [\"p98 < 5us\"]", "budget.toml:3: 'p98 < 5us' bounds 'p98'"},
      Given{"bounds = []", "budget.toml:3: a budget has no bounds"},
      Given{"bounds = \"p99 < 5us\"", "budget.toml:3: bounds is not a list"},
      Given{"bounds = [5]", "budget.toml:3: a bound"},
      Given{"rate = \"fast\"\nbounds = [\"lost = 0\"]", "budget.toml:3: 'fast' is no rate"},
      Given{"rate = true\nbounds = [\"lost = 0\"]", "budget.toml:3: 'true' is no rate"},
      Given{"rate = [1]\nbounds = [\"lost = 0\"]", "budget.toml:3: rate is neither"},
      Given{"p99 = \"< 5us\"", "budget.toml:3: "}, Given{"scenario = \"\"", "scenario is empty"});
  INFO(given.text);
  CHECK_THROWS_WITH(parse_budgets(head + given.text, "budget.toml"), Contains(given.said));
  CHECK_THROWS_WITH(parse_budgets("", "budget.toml"), Contains("it holds no budget"));
  CHECK_THROWS_WITH(parse_budgets("[[budget]]\nbounds = [\"lost = 0\"]", "budget.toml"),
                    Contains("sink"));
  CHECK_THROWS_WITH(parse_budgets("\xff\x00=", "budget.toml"), Contains("budget.toml:1"));
}

}  // namespace
}  // namespace tailgate
