// A list of rates with one step per rate; ends after the first rate that the sink cannot hold.
#include "harness/run/scenario.h"

namespace tailgate {
namespace {

class Sweep : public Scenario {
 public:
  std::string name() const override { return "sweep"; }
  std::string description() const override {
    return "one rate after another, up to the first that the sink cannot hold";
  }

  OptionTable options() const override {
    return with_load_options({
        {"rates_hz", OptionType::text, "1k,3k,10k,30k,100k,300k,1M,3M",
         "ascending list of events per second, all threads together"},
        choice_option("arrivals", "even", "even or poisson, as in steady", {"even", "poisson"}),
        {"past_saturation", OptionType::boolean, "false",
         "continue to the end of the list instead of stopping at saturation"},
    });
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    const std::vector<double> rates = parse_rates(options.text("rates_hz"));
    if (before.size() == rates.size()) return std::nullopt;
    if (!before.empty() && !options.boolean("past_saturation") && ends_with(before.back())) {
      return std::nullopt;
    }
    LoadPlan plan = load_from(options);
    plan.shape = options.text("arrivals") == "poisson" ? Shape::poisson : Shape::steady;
    plan.rate_hz = rates[before.size()];
    return plan;
  }

  std::size_t max_steps(const Options& options) const override {
    return parse_rates(options.text("rates_hz")).size();
  }

 private:
  // What the machine took does not say that the sink cannot hold a higher rate.
  static bool ends_with(const StepOutcome& step) {
    return step.failed || (step.saturated && !step.by_machine);
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_sweep_scenario() {
  return std::make_unique<Sweep>();
}

}  // namespace tailgate
