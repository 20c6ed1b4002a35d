// Whole trials below a folder with a hostile name: what a sink writes into a daemon's configuration
// or hands to a program still names that folder.
#include <catch2/catch.hpp>

#include "harness/base/testing/test_directory.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

// Each part is read as its own by some configuration file, shell or format.
constexpr const char* kNames[] = {"space and 'single' quotes",
                                  "\"double\" quotes",
                                  "back\\slash \\\" \\n",
                                  "$HOME ${x} `id` $(id)",
                                  "%msg% %s %%",
                                  "{0} {}",
                                  "#e; (f), *g* |h| & <i>",
                                  "\xC3\xA9 \xFF",
                                  "control \t\x01\x1b[2J\x7f",
                                  "line\nfeed"};

TEST_CASE("every sink keeps its events below a folder of any name") {
  const TestDirectory directory;
  std::size_t carried = 0;
  for (const auto& type : test_sinks().all()) {
    const SinkChoice choice = sink_choice(type->name());
    if (!choice.type->probe(choice.options).available) continue;
    std::filesystem::path parent = directory.path();
    for (const char* name : kNames) parent += name;
    INFO(type->name() << " in " << parent);
    const Scratch scratch(parent, false);
    const Trial trial = run_trial(choice, stress_load(1000, 0.2), stress_settings(),
                                  scratch.path() / "trial", [](const TrialProgress&) {});
    INFO(describe(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(trial.ledger.emitted > 0);
    CHECK(trial.ledger.unaccounted == 0);
    CHECK(trial.ledger.lost == 0);
    carried += trial.ledger.checked ? 1 : 0;
  }
  CHECK(carried > 0);
}

}  // namespace
}  // namespace tailgate
