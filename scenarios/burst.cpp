// Bursts: many events due at the same instant, then a pause.
#include "harness/run/scenario.h"

namespace tailgate {
namespace {

class Burst : public Scenario {
 public:
  std::string name() const override { return "burst"; }
  std::string description() const override {
    return "bursts of events due at the same instant, then a pause";
  }

  OptionTable options() const override {
    return with_load_options({
        {"burst_events", OptionType::integer, "100", "events per burst and thread", 1, 1e7},
        {"burst_gap_s", OptionType::real, "0.01", "seconds between the starts of two bursts", 1e-6,
         3600},
    });
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::burst;
    plan.burst_events = static_cast<std::uint64_t>(options.integer("burst_events"));
    plan.burst_gap_s = options.real("burst_gap_s");
    plan.rate_hz = static_cast<double>(plan.burst_events) * plan.threads / plan.burst_gap_s;
    return plan;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_burst_scenario() {
  return std::make_unique<Burst>();
}

}  // namespace tailgate
