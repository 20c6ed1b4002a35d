// Closed loop: each thread emits its next event when the previous call returns. It shows the
// highest rate of a sink, and service times under it; it cannot show response times, because a
// slow call delays the calls behind it without anyone having wanted them later.
#include "scenarios/registry.h"

namespace tailgate {
namespace {

class Max : public Scenario {
 public:
  std::string name() const override { return "max"; }
  std::string description() const override {
    return "closed loop, as fast as the calls return: the highest rate";
  }

  OptionTable options() const override { return with_load_options({}); }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::max;
    return plan;
  }
};

}  // namespace

const Scenario& max_scenario() {
  static const Max scenario;
  return scenario;
}

}  // namespace tailgate
