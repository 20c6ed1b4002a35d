// Trials whose provider stops between two calls, and trials that only look so.
#include <catch2/catch.hpp>

#include <csignal>

#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

TEST_CASE("a provider that is stopped between two calls counts as hung") {
  TrialSettings settings = stress_settings();
  settings.hang_timeout_s = 0.5;
  bool stopped = false;
  const auto stop = [&](const TrialProgress& progress) {
    if (stopped || progress.what != std::string("load") || progress.elapsed_s < 0.3) return;
    kill(progress.provider_pid, SIGSTOP);
    stopped = true;
  };
  // Calls take no time beside the pauses between them.
  const Trial trial = run_stress("synthetic", stress_load(50, 600), std::nullopt, stop, settings);
  CHECK(stopped);
  CHECK(trial.outcome == TrialOutcome::hung);
  CHECK_THAT(trial.outcome_detail, Catch::Contains("no call has begun"));
  CHECK(balanced(trial.ledger));
}

TEST_CASE("rare calls are no hang") {
  TrialSettings settings = stress_settings();
  settings.hang_timeout_s = 0.3;
  LoadPlan load = stress_load(1, 3);
  load.threads = 1;
  for (const Shape shape : {Shape::steady, Shape::poisson}) {
    load.shape = shape;
    const Trial trial = run_stress(
        "synthetic", load, std::nullopt, [](const TrialProgress&) {}, settings);
    CHECK(trial.outcome == TrialOutcome::completed);
  }
}

}  // namespace
}  // namespace tailgate
