#include "harness/run/preset.h"

#include "scenarios/testing/catalog.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/sink/catalog.h"

using namespace tailgate;

namespace {

const std::filesystem::path kScenarios = std::filesystem::path(TAILGATE_SCENARIOS_DIR);

Preset parse(const std::string& text) {
  return parse_preset(test_catalog(), text, "p.toml");
}

}  // namespace

TEST_CASE("a preset sets options of its scenario and names sinks") {
  const Preset preset = parse(
      "description = \"d\"\n"
      "scenario = \"steady\"\n"
      "sinks = [\"null\", \"file:mode=mmap\"]\n"
      "[set]\n"
      "rate_hz = 12_500.5\n"
      "threads = 2\n"
      "arrivals = \"poisson\"\n");
  CHECK(preset.name == "p");
  CHECK(preset.description == "d");
  CHECK_FALSE(preset.suite);
  REQUIRE(preset.runs.size() == 1);
  const PresetRun& run = preset.runs.front();
  CHECK(run.scenario->name() == "steady");
  CHECK(run.sinks == std::vector<std::string>{"null", "file:mode=mmap"});
  CHECK(run.options.real("rate_hz") == 12'500.5);
  CHECK(run.options.integer("threads") == 2);
  CHECK(run.options.text("arrivals") == "poisson");
  CHECK(run.options.given("threads"));
  CHECK_FALSE(run.options.given("seed"));
}

TEST_CASE("a preset lists actions and names who judges them") {
  const Preset preset = parse(
      "scenario = \"burst\"\n"
      "judge = \"crash\"\n"
      "[[action]]\n"
      "at_s = 0.5\n"
      "spread_s = 0.2\n"
      "do = \"kill\"\n"
      "[[action]]\n"
      "at_event = 1000\n"
      "do = \"stop\"\n"
      "who = \"both\"\n"
      "for_s = 0.25\n"
      "[[action]]\n"
      "at_s = 0.1\n"
      "do = \"disable\"\n"
      "for_s = 0.1\n"
      "every_s = 0.3\n"
      "by = \"level\"\n");
  const PresetRun& run = preset.runs.front();
  REQUIRE(run.judge != nullptr);
  CHECK(run.judge->name() == "crash");
  CHECK(run.actions ==
        std::vector<TrialAction>{
            {.what = ActionKind::kill, .at_s = 0.5, .spread_s = 0.2},
            {.what = ActionKind::stop, .who = ActionTarget::both, .at_event = 1000, .for_s = 0.25},
            {.what = ActionKind::disable,
             .who = ActionTarget::session,
             .at_s = 0.1,
             .for_s = 0.1,
             .every_s = 0.3,
             .by = SwitchWay::level}});
}

TEST_CASE("a TOML list becomes the text of a list option") {
  const Preset preset = parse("scenario = \"sweep\"\n[set]\nrates_hz = [1000, 2.5e3, \"1M\"]\n");
  CHECK(parse_rates(preset.runs.front().options.text("rates_hz")) ==
        std::vector<double>{1000, 2500, 1e6});
}

TEST_CASE("each error has one line with file and line number, value and remedy") {
  struct Mistake {
    const char* text;
    const char* place;
    const char* words;
  };
  const Mistake mistake = GENERATE(
      Mistake{"scenario = \n", "p.toml:1", "correct the TOML"},
      Mistake{"scenario = \"steady\"\nsink = [\"null\"]\n", "p.toml:2", "did you mean 'sinks'"},
      Mistake{"scenario = \"stedy\"\n", "p.toml:1", "did you mean 'steady'"},
      Mistake{"scenario = 5\n", "p.toml:1", "scenario is not a text"},
      Mistake{"description = \"x\"\n", "p.toml:", "no scenario is named"},
      Mistake{"scenario = \"steady\"\nsinks = \"null\"\n", "p.toml:2", "sinks is not a list"},
      Mistake{"scenario = \"steady\"\nsinks = [\"null\",\n \"fil\"]\n", "p.toml:3",
              "did you mean 'file'"},
      Mistake{"scenario = \"steady\"\nsinks = [\"file:mode=tape\"]\n", "p.toml:2", "tape"},
      Mistake{"scenario = \"steady\"\n[set]\nrate = 5\n", "p.toml:3", "did you mean 'rate_hz'"},
      Mistake{"scenario = \"steady\"\n[set]\n\nrate_hz = -1\n", "p.toml:4", "rate_hz = '-1'"},
      Mistake{"scenario = \"steady\"\n[set]\nrate_hz = \"fast\"\n", "p.toml:3", "fast"},
      Mistake{"scenario = \"steady\"\n[set]\nthreads = 1.5\n", "p.toml:3", "whole number"},
      Mistake{"scenario = \"steady\"\n[set]\nthreads = 2026-01-01\n", "p.toml:3", "neither"},
      Mistake{"scenario = \"steady\"\nset = 5\n", "p.toml:2", "set is not a table"},
      Mistake{"scenario = \"steady\"\n[[action]]\nat_s = 1\n", "p.toml:", "what is done"},
      Mistake{"scenario = \"steady\"\n[[action]]\nat_s = 1\ndo = \"kil\"\n", "p.toml:4",
              "did you mean 'kill'"},
      Mistake{"scenario = \"steady\"\n[[action]]\ndo = \"kill\"\nwho = \"me\"\n", "p.toml:4",
              "who = 'me'"},
      Mistake{"scenario = \"steady\"\n[[action]]\ndo = \"kill\"\nwhen = 1\n", "p.toml:4", "'when'"},
      Mistake{"scenario = \"steady\"\n[[action]]\ndo = \"kill\"\nat_s = -1\n", "p.toml:4", "at_s"},
      Mistake{"scenario = \"steady\"\n[[action]]\ndo = \"kill\"\nby = \"level\"\n", "p.toml:4",
              "disable and enable"},
      Mistake{"scenario = \"steady\"\n[[action]]\ndo = \"enable\"\nby = \"colour\"\n", "p.toml:4",
              "by = 'colour' is none of its values"},
      Mistake{"scenario = \"crash\"\n[[action]]\ndo = \"kill\"\nat_s = 1\n",
              "p.toml:", "acts by its own options"},
      Mistake{"scenario = \"steady\"\njudge = \"burst\"\n", "p.toml:2", "judges nothing"},
      Mistake{"scenario = \"steady\"\njudge = \"crush\"\n", "p.toml:2", "did you mean 'crash'"},
      Mistake{"run = 5\n", "p.toml:1", "run is not a list"},
      Mistake{"[[run]]\nscenario = \"steady\"\n", "p.toml:1", "names no sinks"},
      Mistake{"[[run]]\nscenario = \"steady\"\nsinks = [\"null\"]\nrate_hz = 5\n", "p.toml:4",
              "unknown key 'rate_hz'"});
  INFO(mistake.text);
  try {
    parse(mistake.text);
    FAIL("accepted");
  } catch (const Error& error) {
    const std::string said = error.what();
    CHECK_THAT(said, Catch::StartsWith(mistake.place) && Catch::Contains(mistake.words));
    CHECK(said.find('\n') == std::string::npos);
    CHECK_FALSE(error.remedy().empty());
  }
}

TEST_CASE("any bytes give an error, never a crash") {
  std::uint64_t state = 7;
  const std::string alphabet = "[]{}=\"'\\\n#.,-_ 0123456789abcrunsetdk\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int length = static_cast<int>(state % 60); length > 0; --length) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += alphabet[(state >> 33) % alphabet.size()];
    }
    state += 0x9E3779B97F4A7C15u;
    CHECK_THROWS_AS(parse(text), Error);
  }
}

TEST_CASE("every installed preset and suite loads, and no name hides another") {
  std::set<std::string> names;
  for (const auto& scenario : test_catalog().scenarios.all())
    CHECK(names.insert(scenario->name()).second);
  const auto files = preset_files({kScenarios, kScenarios / "suites"});
  REQUIRE(files.size() >= 5);
  for (const std::filesystem::path& file : files) {
    INFO(file);
    const Preset preset = load_preset(test_catalog(), file);
    CHECK(names.insert(preset.name).second);
    CHECK_FALSE(preset.description.empty());
    CHECK(preset.suite == (file.parent_path().filename() == "suites"));
    for (const PresetRun& run : preset.runs) {
      const auto plan = run.scenario->next_step(run.options, {});
      REQUIRE(plan);
      CHECK_NOTHROW(check_load(*plan));
    }
  }
}

TEST_CASE("a name may be a scenario, a preset, a suite or a file, else the error lists all names") {
  const std::vector<std::filesystem::path> folders = {kScenarios, kScenarios / "suites"};
  CHECK(find_preset(test_catalog(), "steady", folders).name.empty());
  CHECK(find_preset(test_catalog(), "steady-10k", folders).name == "steady-10k");
  CHECK(find_preset(test_catalog(), "quick", folders).suite);
  CHECK(find_preset(test_catalog(), (kScenarios / "burst-1k.toml").string(), folders).name ==
        "burst-1k");
  CHECK_THROWS_WITH(find_preset(test_catalog(), "quik", folders),
                    Catch::Contains("'quik'") && Catch::Contains("did you mean 'quick'"));
  CHECK_THROWS_WITH(find_preset(test_catalog(), "/no/such.toml", folders),
                    Catch::Contains("/no/such.toml"));
}

// Returns the seconds of load of a suite on a machine that has all sinks.
double measured_s(const Preset& suite) {
  double total_s = 0;
  for (const PresetRun& run : suite.runs) {
    const auto plan = run.scenario->next_step(run.options, {});
    const double step_s = plan->warmup_s + plan->duration_s;
    total_s += step_s * static_cast<double>(run.options.integer("trials")) *
               static_cast<double>(run.scenario->max_steps(run.options) * run.sinks.size());
  }
  return suite.explain ? 2 * total_s : total_s;
}

TEST_CASE(
    "the quick suite measures for at most two minutes, claims for twenty, the nightly one for "
    "thirty") {
  CHECK(measured_s(load_preset(test_catalog(), kScenarios / "suites" / "quick.toml")) <= 120);
  CHECK(measured_s(load_preset(test_catalog(), kScenarios / "suites" / "nightly.toml")) <= 1800);
  CHECK(measured_s(load_preset(test_catalog(), kScenarios / "suites" / "claims.toml")) <= 1200);
}

// The scenario and the sink form the name of the result file.
TEST_CASE("no suite runs a scenario against the same sink twice") {
  for (const std::filesystem::path& file : preset_files({kScenarios / "suites"})) {
    std::set<std::string> seen;
    for (const PresetRun& run : load_preset(test_catalog(), file).runs) {
      for (const std::string& sink : run.sinks) {
        INFO(file << " " << run.scenario->name() << " " << sink);
        CHECK(seen.insert(run.scenario->name() + "@" + sink).second);
      }
    }
  }
}
