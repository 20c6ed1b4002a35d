// One rate, held for the whole trial.
#include "harness/run/scenario.h"

namespace tailgate {
namespace {

class Steady : public Scenario {
 public:
  std::string name() const override { return "steady"; }
  std::string description() const override { return "one event rate, evenly spaced or random"; }

  OptionTable options() const override {
    return with_load_options({
        {"rate_hz", OptionType::real, "10000", "events per second, all threads together", 0.001,
         1e9},
        choice_option(
            "arrivals", "even",
            "even: one event every 1/rate; poisson: independent events with that mean rate",
            {"even", "poisson"}),
    });
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = options.text("arrivals") == "poisson" ? Shape::poisson : Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    return plan;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_steady_scenario() {
  return std::make_unique<Steady>();
}

}  // namespace tailgate
