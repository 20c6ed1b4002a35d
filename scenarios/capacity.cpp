// Searches for the highest rate at which a service level holds, and confirms it by repeated trials.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/error.h"
#include "harness/run/scenario.h"
#include "scenarios/search.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// The rates that may be tried: each is higher than the one before by the precision.
struct Grid {
  double least_hz = 0;
  double ratio = 1;

  double rate_hz(std::int64_t place) const {
    return least_hz * std::pow(ratio, static_cast<double>(place));
  }
  std::int64_t place(double rate_hz) const {
    return static_cast<std::int64_t>(std::llround(std::log(rate_hz / least_hz) / std::log(ratio)));
  }
};

Grid grid_of(const Options& options) {
  return {options.real("least_rate_hz"), 1 + options.real("precision_percent") / 100};
}

SearchPlan capacity_search(const Options& options) {
  const Grid grid = grid_of(options);
  const std::int64_t most = grid.place(options.real("most_rate_hz"));
  const std::int64_t start = grid.place(options.real("start_rate_hz"));
  if (start < 0 || start > most) {
    throw Error(fmt::format("start_rate_hz = {} is not between least_rate_hz = {} and "
                            "most_rate_hz = {}",
                            options.real("start_rate_hz"), options.real("least_rate_hz"),
                            options.real("most_rate_hz")),
                "give three rates in rising order");
  }
  // About a doubling.
  const std::int64_t stride = std::max<std::int64_t>(1, grid.place(2 * grid.least_hz));
  return {.start = start,
          .least = 0,
          .most = most,
          .stride = stride,
          .confirm = static_cast<unsigned>(options.integer("trials"))};
}

// Why a trial does not hold the level.
enum class Miss { none, failed, unchecked, lost, rate, slow };

Miss miss_of(const StepTrial& trial, double level_ns) {
  if (!trial.completed || !trial.measured) return Miss::failed;
  if (trial.ledger.unchecked()) return Miss::unchecked;
  if (trial.ledger.lost > 0 || trial.ledger.unaccounted != 0) return Miss::lost;
  if (trial.rate_missed) return Miss::rate;
  return static_cast<double>(trial.response_p99_9_ns) > level_ns ? Miss::slow : Miss::none;
}

double level_ns(const Options& options) {
  return options.real("level_p99_9_ms") * 1e6;
}

// A trial whose rate is proven to have been missed by the machine's fault would have held it: where
// it is looked at alone, the search goes on above. Among others it confirms nothing.
Looked looked_at(const std::vector<StepTrial>& trials, double rate_hz, const Grid& grid,
                 double level_ns) {
  const auto held = std::count_if(trials.begin(), trials.end(), [&](const StepTrial& trial) {
    return miss_of(trial, level_ns) == Miss::none;
  });
  const bool by_machine = std::any_of(trials.begin(), trials.end(), [&](const StepTrial& trial) {
    return miss_of(trial, level_ns) == Miss::rate && trial.by_machine;
  });
  return {.place = grid.place(rate_hz),
          .trials = static_cast<unsigned>(trials.size()),
          .held = std::max(static_cast<unsigned>(held), by_machine ? 1u : 0u)};
}

std::optional<NextLook> next_of(const Options& options, std::span<const StepOutcome> before) {
  if (before.size() >= static_cast<std::size_t>(options.integer("most_steps"))) return std::nullopt;
  const Grid grid = grid_of(options);
  std::vector<Looked> looked;
  for (const StepOutcome& step : before) {
    looked.push_back(looked_at(step.trials, step.load.rate_hz, grid, level_ns(options)));
  }
  return next_look(capacity_search(options), looked);
}

// Why the trials at a rate missed the level: "too slow 4, events lost 1".
std::string miss_words(const std::vector<StepTrial>& trials, double level_ns) {
  constexpr std::pair<Miss, const char*> kWords[] = {{Miss::slow, "p99.9 too long"},
                                                     {Miss::rate, "rate missed"},
                                                     {Miss::lost, "events lost"},
                                                     {Miss::unchecked, "events not read back"},
                                                     {Miss::failed, "trial failed"}};
  std::vector<std::string> texts;
  for (const auto& [miss, words] : kWords) {
    const auto count = std::count_if(
        trials.begin(), trials.end(),
        [&, wanted = miss](const StepTrial& trial) { return miss_of(trial, level_ns) == wanted; });
    if (count > 0) texts.push_back(fmt::format("{} in {}", words, count));
  }
  return joined_words(texts);
}

class Capacity : public Scenario {
 public:
  std::string name() const override { return "capacity"; }
  std::string description() const override {
    return "the highest rate at which a service level holds, searched and confirmed";
  }

  OptionTable options() const override {
    constexpr double kMostHz = 1e8;
    return with_defaults(
        with_load_options({
            {"level_p99_9_ms", OptionType::real, "1",
             "the level: the response time's 99.9th percentile in ms; nothing lost; rate held",
             1e-6, 60e3},
            {"start_rate_hz", OptionType::real, "10000", "where the search begins", 1, kMostHz},
            {"least_rate_hz", OptionType::real, "100", "the lowest rate that is tried", 1, kMostHz},
            {"most_rate_hz", OptionType::real, "1M", "the highest rate that is tried", 1, kMostHz},
            {"precision_percent", OptionType::real, "10", "between two rates that are tried", 1,
             100},
            {"most_steps", OptionType::integer, "40", "rates that are tried at most", 1, 1000},
        }),
        {{"trials", "5"}, {"duration_s", "1"}, {"warmup_s", "0.2"}});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (options.integer("trials") < 2) {
      throw Error("trials = 1 confirms nothing", "confirm a rate by 2 trials or more");
    }
    const std::optional<NextLook> next = next_of(options, before);
    if (!next) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = grid_of(options).rate_hz(next->place);
    return plan;
  }

  std::size_t trials(const Options& options, std::span<const StepOutcome> before) const override {
    const std::optional<NextLook> next = next_of(options, before);
    return next ? next->trials : 1;
  }

  std::size_t max_steps(const Options& options) const override {
    return static_cast<std::size_t>(options.integer("most_steps"));
  }

  std::optional<Answer> answer(const Result& result) const override;
};

// The trials of one rate, in all of its steps that confirm.
struct Tried {
  std::map<std::int64_t, std::vector<StepTrial>> by_place;
  std::vector<Looked> looked;
  unsigned by_machine = 0;
};

Tried tried_in(const Result& result, const Options& options) {
  const Grid grid = grid_of(options);
  std::map<unsigned, std::vector<StepTrial>> by_step;
  std::map<unsigned, double> rate_hz;
  Tried tried;
  for (const Trial& trial : result.trials) {
    by_step[trial.step].push_back(step_trial(trial));
    rate_hz[trial.step] = trial.load.rate_hz;
    tried.by_machine += trial.rate_missed && trial.missed_by_machine.value_or(false) ? 1 : 0;
  }
  for (const auto& [step, trials] : by_step) {
    tried.looked.push_back(looked_at(trials, rate_hz[step], grid, level_ns(options)));
    if (tried.looked.back().trials >= static_cast<unsigned>(options.integer("trials"))) {
      tried.by_place[tried.looked.back().place] = trials;
    }
  }
  return tried;
}

std::optional<AnswerFigure> rate_figure(const FoundPlace& found, const Grid& grid,
                                        unsigned trials) {
  const std::optional<std::int64_t> best = found.best ? found.best : found.holds;
  if (!best) return std::nullopt;
  AnswerFigure figure{.name = "capacity_hz",
                      .value = grid.rate_hz(*best),
                      .low = {},
                      .high = {},
                      .trials = trials,
                      .about = fmt::format("highest rate at which most trials held the level; at "
                                           "low all {0} did, at high none of {0}: where a trial "
                                           "held with 1/2, that would happen with 1/{1}",
                                           trials, std::uint64_t{1} << std::min(trials, 63u))};
  if (found.holds) figure.low = grid.rate_hz(*found.holds);
  if (found.misses) figure.high = grid.rate_hz(*found.misses);
  return figure;
}

std::optional<Answer> Capacity::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const Options given = given_options(*this, result);
  const Tried tried = tried_in(result, given);
  const FoundPlace found = found_place(capacity_search(given), tried.looked);
  if (!found.holds && !found.misses) return std::nullopt;
  const Grid grid = grid_of(given);
  const auto trials = static_cast<unsigned>(given.integer("trials"));
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  const std::optional<AnswerFigure> figure = rate_figure(found, grid, trials);
  if (figure) answer.figures.push_back(*figure);
  const std::string sink = fmt::format("`{}`", result.sink.label);
  const std::string level =
      fmt::format("a p99.9 of {} or less, nothing lost and the rate held within 1 %",
                  duration_words(level_ns(given)));
  if (!found.holds) {
    answer.sentence = fmt::format(
        "{} holds {} at none of the rates that were confirmed, down to "
        "{} events/s",
        sink, level, rate_words(grid.rate_hz(*found.misses)));
  } else if (!found.misses) {
    answer.sentence = fmt::format(
        "{} holds {} at {} events/s in all of {} trials, and at no higher rate it failed", sink,
        level, rate_words(*figure->low), trials);
  } else {
    answer.sentence = fmt::format(
        "{} holds {} up to {} events/s ({} to {}: all of {} trials hold at the lower, none at the "
        "upper)",
        sink, level, rate_words(figure->value), rate_words(*figure->low), rate_words(*figure->high),
        trials);
  }
  if (found.misses) {
    const auto missed = tried.by_place.find(*found.misses);
    if (missed != tried.by_place.end()) {
      answer.sentence += fmt::format("; above it, of {} trials: {}", missed->second.size(),
                                     miss_words(missed->second, level_ns(given)));
    }
  }
  answer.sentence += ".";
  if (tried.by_machine > 0) {
    answer.sentence +=
        fmt::format(" {} trials missed their rate by the machine's fault.", tried.by_machine);
  }
  if (!result.sink.read_back && !result.sink.live_read) {
    answer.cannot.push_back("be read back: what it loses without saying so stays unseen");
  }
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_capacity_scenario() {
  return std::make_unique<Capacity>();
}

}  // namespace tailgate
