// A rate that changes linearly from one value to another within each trial.
#include "harness/run/scenario.h"

namespace tailgate {
namespace {

class Ramp : public Scenario {
 public:
  std::string name() const override { return "ramp"; }
  std::string description() const override { return "a rate that rises or falls within the trial"; }

  OptionTable options() const override {
    return with_load_options({
        {"rate_hz", OptionType::real, "1000", "events per second at the start of recording", 0.001,
         1e9},
        {"end_rate_hz", OptionType::real, "100000", "events per second at the end", 0.001, 1e9},
    });
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::ramp;
    plan.rate_hz = options.real("rate_hz");
    plan.end_rate_hz = options.real("end_rate_hz");
    return plan;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_ramp_scenario() {
  return std::make_unique<Ramp>();
}

}  // namespace tailgate
