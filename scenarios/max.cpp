// Closed loop: each thread emits its next event when the previous call returns. It shows a sink's
// highest rate, and its service times at that rate. It cannot show response times, because a slow
// call also postpones the start of the following calls.
#include "harness/run/scenario.h"

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

std::unique_ptr<const Scenario> make_max_scenario() {
  return std::make_unique<Max>();
}

}  // namespace tailgate
