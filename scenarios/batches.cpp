// Closed loop in batches: some calls one after another, then a pause. That is how the speed of
// loggers is usually measured and advertised, as the mean over the calls of a batch. It is here so
// that such a figure can be repeated beside the others, and compared with them: the pauses let
// queues and buffers run empty, a slow call postpones the rest of its batch and the batches after
// it, and a mean hides the tail.
#include "harness/run/scenario.h"

namespace tailgate {
namespace {

class Batches : public Scenario {
 public:
  std::string name() const override { return "batches"; }
  std::string description() const override {
    return "closed loop: a batch of calls, then a pause, as loggers are usually advertised";
  }

  OptionTable options() const override {
    return with_load_options({
        {"batch_calls", OptionType::integer, "20", "calls per batch and thread", 1, 1e7},
        {"pause_s", OptionType::real, "0.001", "seconds between the end of a batch and the next",
         1e-6, 3600},
    });
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::max;
    plan.burst_events = static_cast<std::uint64_t>(options.integer("batch_calls"));
    plan.burst_gap_s = options.real("pause_s");
    return plan;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_batches_scenario() {
  return std::make_unique<Batches>();
}

}  // namespace tailgate
