// What a call costs while nobody listens, above a call that does nothing, and while somebody does.
// The session is disabled before the recorded load begins. A call that does nothing is timed in
// each trial's own process, by the same loop (Trial::floor); what timing a call costs is in both
// and cancels out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/result/latency.h"
#include "harness/run/scenario.h"
#include "harness/stats/trial_interval.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// The mean of the middle half of the values. Reading the clock in whole nanoseconds, and the ticks
// of its counter, move single values by a nanosecond, so a median has no finer steps; the mean of
// many does. A call that was held up is in the upper quarter.
double interquartile_mean_ns(const Latency& latency) {
  const Histogram histogram = decode_latency(latency);
  const double all = static_cast<double>(histogram.total_count());
  const double first = 0.25 * all;
  const double last = 0.75 * all;
  double before = 0;
  double sum_ns = 0;
  histogram.for_each_recorded([&](std::uint64_t low, std::uint64_t high, std::uint64_t count) {
    const double after = before + static_cast<double>(count);
    const double inside = std::min(after, last) - std::max(before, first);
    if (inside > 0) sum_ns += inside * (static_cast<double>(low) + static_cast<double>(high)) / 2;
    before = after;
  });
  return all == 0 ? 0 : sum_ns / (last - first);
}

// The trials in which nobody listened, or somebody did: of each what a call cost above one that
// does nothing.
struct Costs {
  std::vector<double> off_ns;
  std::vector<double> on_ns;
  std::vector<double> nothing_ns;  // what such a call takes, with the timing
};

// Whether the session was disabled before recording began, and stayed so.
bool nobody_listened(const Trial& trial) {
  if (!trial.actions || !trial.switching || trial.actions->size() != 1) return false;
  const ActionDone& action = trial.actions->front();
  return action.refused.empty() && action.what == ActionKind::disable &&
         action.at_ns + trial.switching->switch_p50_ns < trial.start_ns;
}

Costs costs_in(const Result& result) {
  Costs costs;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || trial.service.count == 0) continue;
    const double nothing_ns = interquartile_mean_ns(trial.floor.service);
    const double cost_ns = interquartile_mean_ns(trial.service) - nothing_ns;
    if (nobody_listened(trial)) {
      costs.off_ns.push_back(cost_ns);
    } else if (!trial.actions) {
      costs.on_ns.push_back(cost_ns);
    } else {
      continue;
    }
    costs.nothing_ns.push_back(nothing_ns);
  }
  return costs;
}

AnswerFigure cost_figure(std::string name, const std::vector<double>& values, const char* what) {
  AnswerFigure figure{.name = std::move(name),
                      .value = values.front(),
                      .low = {},
                      .high = {},
                      .trials = static_cast<unsigned>(values.size()),
                      .about = fmt::format("{}; of one trial", what)};
  if (const auto interval = trial_interval(values, 0.95)) {
    figure.value = interval->estimate;
    figure.low = interval->low;
    figure.high = interval->high;
    figure.about = fmt::format("{}: {} of the trials and its 95 % confidence interval", what,
                               interval->of_median ? "median" : "mean");
  }
  return figure;
}

// "2.1 ns (1.8 to 2.4 ns, 5 trials)".
std::string cost_words(const AnswerFigure& cost) {
  if (!cost.low || !cost.high) return fmt::format("{:.1f} ns (1 trial)", cost.value);
  return fmt::format("{:.1f} ns ({:.1f} to {:.1f} ns, {} trials)", cost.value, *cost.low,
                     *cost.high, cost.trials);
}

std::string off_words(const AnswerFigure& off) {
  if (off.low && off.high && *off.low <= 0) {
    return fmt::format(
        "while nobody listens, no difference from a call that does nothing is resolved: {}",
        cost_words(off));
  }
  return fmt::format("while nobody listens, it costs {} more than a call that does nothing",
                     cost_words(off));
}

class Disabled : public Scenario {
 public:
  std::string name() const override { return "disabled"; }
  std::string description() const override {
    return "what a call costs while nobody listens, against one that does nothing";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"batch_calls", OptionType::integer, "200", "calls per batch and thread", 1, 1e6},
                {"pause_s", OptionType::real, "0.001",
                 "seconds between the end of a batch and the next, so that no buffer is full", 1e-6,
                 10},
            }),
            {{"trials", "7"}, {"duration_s", "0.4"}, {"warmup_s", "0.3"}}),
        {"events"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (before.size() == 2) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::max;
    plan.burst_events = static_cast<std::uint64_t>(options.integer("batch_calls"));
    plan.burst_gap_s = options.real("pause_s");
    if (plan.warmup_s <= 0) {
      throw Error("disabled: warmup_s = 0 leaves no time to disable the session",
                  "set warmup_s to 0.2 or more");
    }
    return plan;
  }

  std::size_t max_steps(const Options&) const override { return 2; }

  // Nobody listens in the first step.
  std::vector<TrialAction> actions(const Options& options, std::size_t step) const override {
    if (step > 0) return {};
    return {{.what = ActionKind::disable,
             .who = ActionTarget::session,
             .at_s = -options.real("warmup_s")}};
  }

  bool judges() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    answer.cannot = refused_actions(result);
    const Costs costs = costs_in(result);
    std::vector<std::string> clauses;
    if (!costs.off_ns.empty()) {
      answer.figures.push_back(
          cost_figure("off_cost_ns", costs.off_ns,
                      "what a call takes while nobody listens, above one that does nothing"));
      clauses.push_back(off_words(answer.figures.back()));
    }
    if (!costs.on_ns.empty()) {
      answer.figures.push_back(cost_figure(
          "on_cost_ns", costs.on_ns,
          "what a call takes with the sink as its options say, above one that does nothing"));
      clauses.push_back(fmt::format("{} it costs {}",
                                    costs.off_ns.empty() ? "as its options say," : "else",
                                    cost_words(answer.figures.back())));
    }
    if (clauses.empty()) return std::nullopt;
    answer.figures.push_back(
        range_figure("nothing_ns", costs.nothing_ns,
                     "what a call that does nothing takes, with the two reads of the clock"));
    answer.sentence =
        fmt::format("A call of `{}`: {}.", result.sink.label, fmt::join(clauses, "; "));
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_disabled_scenario() {
  return std::make_unique<Disabled>();
}

}  // namespace tailgate
