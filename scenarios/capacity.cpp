// Searches for the highest rate at which a service level holds, and confirms it by repeated trials;
// with several numbers of threads or processes, for each of them in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/error.h"
#include "harness/run/scenario.h"
#include "scenarios/search.h"
#include "scenarios/words.h"
#include "scenarios/writers.h"

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

// Where the search among the rates of some writers goes on; nothing when it is over.
std::optional<NextLook> next_of(const Options& options, const Writers& writers,
                                std::span<const StepOutcome> before) {
  const Grid grid = grid_of(options);
  std::vector<Looked> looked;
  for (const StepOutcome& step : before) {
    if (!(writers_of(step.load) == writers)) continue;
    if (step.not_taken) return std::nullopt;
    looked.push_back(looked_at(step.trials, step.load.rate_hz, grid, level_ns(options)));
  }
  if (looked.size() >= static_cast<std::size_t>(options.integer("most_steps"))) return std::nullopt;
  return next_look(capacity_search(options), looked);
}

struct NextTry {
  Writers writers;
  NextLook look;
};

std::optional<NextTry> next_try(const Options& options, std::span<const StepOutcome> before) {
  for (const Writers& writers : writers_from(options)) {
    if (const auto look = next_of(options, writers, before)) return NextTry{writers, *look};
  }
  return std::nullopt;
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
    const OptionTable table = with_defaults(
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
    return with_writer_lists(table, "1", "1");
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (options.integer("trials") < 2) {
      throw Error("trials = 1 confirms nothing", "confirm a rate by 2 trials or more");
    }
    const std::optional<NextTry> next = next_try(options, before);
    if (!next) return std::nullopt;
    LoadPlan plan = load_from(options);
    set_writers(next->writers, plan);
    plan.shape = Shape::steady;
    plan.rate_hz = grid_of(options).rate_hz(next->look.place);
    return plan;
  }

  std::size_t trials(const Options& options, std::span<const StepOutcome> before) const override {
    const std::optional<NextTry> next = next_try(options, before);
    return next ? next->look.trials : 1;
  }

  std::size_t max_steps(const Options& options) const override {
    return static_cast<std::size_t>(options.integer("most_steps")) * writers_from(options).size();
  }

  std::optional<Answer> answer(const Result& result) const override;
};

// What was tried with some writers: the trials of each rate that confirm it.
struct Tried {
  std::map<std::int64_t, std::vector<StepTrial>> by_place;
  std::vector<Looked> looked;
  unsigned by_machine = 0;
};

Tried tried_in(const Result& result, const Options& options, const Writers& writers) {
  const Grid grid = grid_of(options);
  std::map<unsigned, std::vector<StepTrial>> by_step;
  std::map<unsigned, double> rate_hz;
  Tried tried;
  for (const Trial& trial : result.trials) {
    if (!(writers_of(trial.load) == writers)) continue;
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

std::optional<AnswerFigure> rate_figure(const std::string& name, const FoundPlace& found,
                                        const Grid& grid, unsigned trials) {
  const std::optional<std::int64_t> best = found.best ? found.best : found.holds;
  if (!best) return std::nullopt;
  AnswerFigure figure{.name = name,
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

// What the search with some writers has found.
struct FoundRate {
  FoundPlace place;
  Tried tried;
  std::optional<AnswerFigure> figure;
};

FoundRate found_with(const Writers& writers, bool is_first, const Result& result,
                     const Options& given) {
  Tried tried = tried_in(result, given, writers);
  const FoundPlace place = found_place(capacity_search(given), tried.looked);
  const std::string name = is_first ? "capacity_hz" : key_of(writers) + "_capacity_hz";
  const auto trials = static_cast<unsigned>(given.integer("trials"));
  return {.place = place,
          .tried = std::move(tried),
          .figure = rate_figure(name, place, grid_of(given), trials)};
}

// The sentence on the first writers that were tried, without its full stop.
std::string first_words(const FoundRate& found, const std::string& sink, const Options& given) {
  const Grid grid = grid_of(given);
  const std::int64_t trials = given.integer("trials");
  const std::string level =
      fmt::format("a p99.9 of {} or less, nothing lost and the rate held within 1 %",
                  duration_words(level_ns(given)));
  const FoundPlace& place = found.place;
  if (!place.holds) {
    return fmt::format("{} holds {} at none of the rates that were confirmed, down to {} events/s",
                       sink, level, rate_words(grid.rate_hz(*place.misses)));
  }
  if (!place.misses) {
    return fmt::format(
        "{} holds {} at {} events/s in all of {} trials, and at no higher rate it failed", sink,
        level, rate_words(*found.figure->low), trials);
  }
  return fmt::format(
      "{} holds {} up to {} events/s ({} to {}: all of {} trials hold at the lower, none at the "
      "upper)",
      sink, level, rate_words(found.figure->value), rate_words(*found.figure->low),
      rate_words(*found.figure->high), trials);
}

// "; above it, of 5 trials: p99.9 too long in 5".
std::string why_not_more(const FoundRate& found, const Options& given) {
  if (!found.place.misses) return "";
  const auto missed = found.tried.by_place.find(*found.place.misses);
  if (missed == found.tried.by_place.end()) return "";
  return fmt::format("; above it, of {} trials: {}", missed->second.size(),
                     miss_words(missed->second, level_ns(given)));
}

// "with 4 threads up to 20k (18k to 22k)".
std::string further_words(const Writers& writers, const FoundRate& found, const Options& given) {
  const std::string with = fmt::format("with {} ", words_of(writers));
  const Grid grid = grid_of(given);
  const FoundPlace& place = found.place;
  if (!place.holds) {
    return with + fmt::format("at none, down to {}", rate_words(grid.rate_hz(*place.misses)));
  }
  if (!place.misses) return with + fmt::format("still at {}", rate_words(*found.figure->low));
  return with + fmt::format("up to {} ({} to {})", rate_words(found.figure->value),
                            rate_words(*found.figure->low), rate_words(*found.figure->high));
}

std::optional<Answer> Capacity::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const Options given = given_options(*this, result);
  const std::vector<Writers> wanted = writers_from(given);
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  unsigned by_machine = 0;
  for (const Writers& writers : wanted) {
    const bool is_first = writers == wanted.front();
    const FoundRate found = found_with(writers, is_first, result, given);
    by_machine += found.tried.by_machine;
    if (!found.place.holds && !found.place.misses) {
      if (is_first) return std::nullopt;
      continue;
    }
    if (found.figure) answer.figures.push_back(*found.figure);
    if (!is_first) {
      answer.sentence += "; " + further_words(writers, found, given);
      continue;
    }
    const std::string with =
        wanted.size() > 1 ? fmt::format(" with {}", words_of(writers)) : std::string();
    answer.sentence = first_words(found, fmt::format("`{}`{}", result.sink.label, with), given) +
                      why_not_more(found, given);
  }
  answer.sentence += ".";
  if (by_machine > 0) {
    answer.sentence +=
        fmt::format(" {} trials missed their rate by the machine's fault.", by_machine);
  }
  answer.cannot = not_taken(wanted, result.sink);
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
