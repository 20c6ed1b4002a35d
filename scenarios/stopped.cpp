// Stops the program, or the sink's daemons, half of the time. It is also the test of any harness
// that Gil Tene proposed ("How NOT to Measure Latency"): what is due during a stop waits for its
// end, so the quantiles must show the stops.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// Half of the events are due in a stop of length S, and wait for its end: evenly between 0 and S.
// A tenth of all is a fifth of these, and waited longer than 0.8 S.
constexpr double kLeastShare = 0.8;
// What the clock, the histogram and a stop that the kernel carries out late may take of that.
constexpr double kTolerance = 0.01;

// The stops of one trial's program or daemons.
struct Stops {
  std::vector<double> lengths_ns;
  bool of_program = false;

  double mean_ns() const {
    double sum_ns = 0;
    for (const double ns : lengths_ns) sum_ns += ns;
    return lengths_ns.empty() ? 0 : sum_ns / static_cast<double>(lengths_ns.size());
  }
};

Stops stops_of(const Trial& trial) {
  Stops stops;
  std::string process;
  std::uint64_t since_ns = 0;
  for (const ActionDone& action : trial.actions.value_or(std::vector<ActionDone>{})) {
    if (!action.refused.empty()) continue;
    if (action.what == ActionKind::stop && since_ns == 0) {
      process = action.process;
      since_ns = action.at_ns;
      stops.of_program = action.who == ActionTarget::program;
    } else if (action.what == ActionKind::resume && since_ns != 0 && action.process == process) {
      stops.lengths_ns.push_back(static_cast<double>(action.at_ns - since_ns));
      since_ns = 0;
    }
  }
  return stops;
}

// What all trials with stops showed.
struct Seen {
  std::vector<double> shares;  // p90 of the response time, of the mean stop
  std::vector<double> p90_ns;
  std::vector<double> stop_ns;
  bool of_program = false;
};

Seen seen_in(const Result& result) {
  Seen seen;
  for (const Trial& trial : result.trials) {
    const Stops stops = stops_of(trial);
    if (stops.lengths_ns.empty() || trial.outcome != TrialOutcome::completed) continue;
    const double stop_ns = stops.mean_ns();
    const auto p90_ns = static_cast<double>(trial.response.p90_ns);
    seen.shares.push_back(p90_ns / stop_ns);
    seen.p90_ns.push_back(p90_ns);
    seen.stop_ns.push_back(stop_ns);
    seen.of_program = stops.of_program;
  }
  return seen;
}

AnswerFigure share_figure(const Seen& seen) {
  return interval_figure("p90_per_stop", seen.shares,
                         "90th percentile of the response time, as a share of the stops' length",
                         "trial");
}

std::string share_words(const AnswerFigure& share) {
  std::string text = fmt::format("{:.1f} % of a stop", 100 * share.value);
  if (share.low && share.high) {
    text += fmt::format(" ({:.1f} to {:.1f} %, {} trials)", 100 * *share.low, 100 * *share.high,
                        share.trials);
  }
  return text;
}

std::vector<std::string> stop_refusals(const Result& result) {
  std::vector<std::string> all;
  for (const Trial& trial : result.trials) {
    for (const ActionDone& action : trial.actions.value_or(std::vector<ActionDone>{})) {
      if (action.refused.empty() || action.what != ActionKind::stop) continue;
      std::string text = fmt::format("stop {}: {}", enum_text(action.who), action.refused);
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
    }
  }
  return all;
}

class Stopped : public Scenario {
 public:
  std::string name() const override { return "stopped"; }
  std::string description() const override {
    return "stops the program or the daemon half of the time: the quantiles must show it";
  }

  OptionTable options() const override {
    OptionSpec stall{"stall_s", OptionType::real,
                     "0.1",     "length of a stop, and of the time until the next",
                     0.005,     2};
    return without_options(
        with_defaults(with_load_options({
                          {"rate_hz", OptionType::real, "10000",
                           "events per second, all threads together", 0.001, 1e9},
                          choice_option("who", "program",
                                        "what is stopped: the program, or the sink's daemons",
                                        {"program", "daemon"}),
                          stall,
                          {"stalls", OptionType::integer, "10",
                           "stops in a trial; they set its duration", 1, 400},
                      }),
                      {{"trials", "5"}, {"warmup_s", "0.2"}}),
        {"duration_s", "events"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    plan.duration_s = 2 * options.real("stall_s") * static_cast<double>(options.integer("stalls"));
    return plan;
  }

  // Each stop is in the middle of its part of the load, so that the load ends in time.
  std::vector<TrialAction> actions(const Options& options, std::size_t) const override {
    const double stall_s = options.real("stall_s");
    return {{.what = ActionKind::stop,
             .who = *enum_value<ActionTarget>(options.text("who")),
             .at_s = stall_s / 2,
             .for_s = stall_s,
             .every_s = 2 * stall_s}};
  }

  bool judges() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    answer.cannot = stop_refusals(result);
    const Seen seen = seen_in(result);
    if (seen.shares.empty()) {
      if (answer.cannot.empty()) return std::nullopt;
      answer.sentence = fmt::format("{}: nothing could be stopped.", at_rate(result));
      return answer;
    }
    const AnswerFigure share = share_figure(seen);
    answer.figures = {share, range_figure("p90_ns", seen.p90_ns, "90th percentile of the response"),
                      range_figure("stop_ns", seen.stop_ns, "mean length of the stops")};
    const std::string seen_words = fmt::format(
        "{} shows a p90 of {} while its {} is stopped for {} at a time, half of the time: {}",
        at_rate(result), duration_words(answer.figures[1].value),
        seen.of_program ? "program" : "daemon", duration_words(answer.figures[2].value),
        share_words(share));
    if (seen.of_program) {
      answer.holds = *std::min_element(seen.shares.begin(), seen.shares.end()) >=
                     kLeastShare * (1 - kTolerance);
      answer.sentence = fmt::format(
          "{}. {}", seen_words,
          *answer.holds ? "So the stops show, as they must: at least 80 %."
                        : "At least 80 % must show, in every trial: these times hide the stops.");
    } else {
      answer.sentence = fmt::format(
          "{}; its callers {}.", seen_words,
          share.value >= kLeastShare * (1 - kTolerance) ? "wait for it" : "do not wait for it");
    }
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_stopped_scenario() {
  return std::make_unique<Stopped>();
}

}  // namespace tailgate
