// Several writers on one session, threads of a process and processes: what a call costs the worst
// of them, whether all get the same, how much more events go through, and whether these stay whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "harness/run/scenario.h"
#include "harness/stats/quantile_interval.h"
#include "harness/stats/trial_interval.h"
#include "scenarios/words.h"
#include "scenarios/writers.h"

namespace tailgate {
namespace {

// From this index on the shares count as even: with one of two writers 22 % ahead it is 0.99.
constexpr double kEven = 0.99;

// A ratio lies between the quotients of two intervals of this confidence, with 0.95.
constexpr double kEachConfidence = 0.975;

// One writer first: all others are compared with it.
std::vector<Writers> tried_by(const Options& options) {
  std::vector<Writers> all = {Writers{}};
  for (const Writers& writers : writers_from(options)) {
    if (writers.all() > 1) all.push_back(writers);
  }
  return all;
}

// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 where all have the same, 1/n where one has
// everything. Source: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and
// Discrimination for Resource Allocation in Shared Computer Systems", DEC-TR-301 (1984).
double jains_index(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

constexpr const char* kJoins = "joins";

// What the completed trials with the same writers showed, a value of each trial.
struct Shown {
  Writers writers;
  std::vector<double> rate_hz;      // of all writers together
  std::vector<double> fairness;     // Jain's index of the writers' rates
  std::vector<double> least_share;  // the least rate as a share of the mean one
  std::vector<double> worst_p99_ns;
  std::vector<double> best_p99_ns;
};

void add_shown_trial(const Trial& trial, Shown& shown) {
  std::vector<double> rates;
  std::vector<double> p99_ns;
  for (const WriterUse& writer : trial.writers.value_or(std::vector<WriterUse>{})) {
    rates.push_back(writer.achieved_rate_hz);
    if (writer.response.count > 0) p99_ns.push_back(static_cast<double>(writer.response.p99_ns));
  }
  if (rates.empty()) rates.push_back(trial.achieved_rate_hz);
  if (p99_ns.empty()) p99_ns.push_back(static_cast<double>(trial.response.p99_ns));
  double sum = 0;
  for (const double rate : rates) sum += rate;
  const double mean = sum / static_cast<double>(rates.size());
  shown.rate_hz.push_back(trial.achieved_rate_hz);
  shown.fairness.push_back(jains_index(rates));
  shown.least_share.push_back(mean > 0 ? *std::min_element(rates.begin(), rates.end()) / mean : 1);
  shown.worst_p99_ns.push_back(*std::max_element(p99_ns.begin(), p99_ns.end()));
  shown.best_p99_ns.push_back(*std::min_element(p99_ns.begin(), p99_ns.end()));
}

std::vector<Shown> shown_by(const Result& result) {
  std::vector<Shown> all;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || trial.measured == 0 || trial.actions) continue;
    const Writers writers = writers_of(trial.load);
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const Shown& shown) { return shown.writers == writers; });
    if (same == all.end()) {
      Shown shown;
      shown.writers = writers;
      same = all.insert(all.end(), std::move(shown));
    }
    add_shown_trial(trial, *same);
  }
  return all;
}

// What a program that joined in showed, a value of each trial.
struct Joined {
  std::vector<double> first_p99_ns;  // response times of the first writer
  std::vector<double> missing;       // events of the program that joined in
};

Joined joined_in(const Result& result) {
  Joined joined;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || !trial.further || !trial.writers) continue;
    const FurtherUse& second = trial.further->front();
    if (second.due == 0) continue;  // it came too late
    joined.first_p99_ns.push_back(static_cast<double>(trial.writers->front().response.p99_ns));
    if (second.checked) joined.missing.push_back(static_cast<double>(second.missing));
  }
  return joined;
}

// The first writer clearly waits if its p99 is twice as long in every trial as in any alone.
std::string second_words(const Joined& joined, const Shown& one) {
  const auto [low, high] =
      std::minmax_element(joined.first_p99_ns.begin(), joined.first_p99_ns.end());
  const double alone_ns = *std::max_element(one.worst_p99_ns.begin(), one.worst_p99_ns.end());
  return fmt::format(" When a second program joins in, the p99 of the first is {}, {} alone.",
                     duration_range_words(*low, *high),
                     (*low > 2 * alone_ns ? "longer than the " : "not clearly longer than the ") +
                         duration_words(alone_ns));
}

void add_joined(const Joined& joined, const Shown& one, Answer& answer) {
  if (joined.first_p99_ns.empty()) return;
  answer.figures.push_back(range_figure(
      "joined_first_p99_ns", joined.first_p99_ns,
      "99th percentile of the first writer's response time, while another program joins in"));
  answer.sentence += second_words(joined, one);
  if (joined.missing.empty()) return;
  answer.figures.push_back(
      range_figure("joined_missing_events", joined.missing,
                   "accepted events of the program that joined in which were not read back whole"));
}

// How many times the events of one writer go through.
AnswerFigure times_figure(const Shown& shown, const Shown& one) {
  AnswerFigure figure{.name = key_of(shown.writers) + "_times_one",
                      .value = median(shown.rate_hz) / median(one.rate_hz),
                      .low = {},
                      .high = {},
                      .trials = static_cast<unsigned>(shown.rate_hz.size()),
                      .about = "events of all writers per event of one writer alone"};
  const auto several = trial_interval(shown.rate_hz, kEachConfidence);
  const auto alone = trial_interval(one.rate_hz, kEachConfidence);
  if (several && alone && several->low > 0 && alone->low > 0) {
    figure.low = several->low / alone->high;
    figure.high = several->high / alone->low;
    figure.about += ", and the 95 % confidence interval: the quotients of two of 97.5 %";
  }
  return figure;
}

std::string times_words(const AnswerFigure& times) {
  if (!times.low || !times.high) return fmt::format("{:.2f} times the events", times.value);
  if (*times.low <= 1 && *times.high >= 1) {
    return fmt::format("no more or fewer events that {} trials resolve ({:.2f} to {:.2f} times)",
                       times.trials, *times.low, *times.high);
  }
  return fmt::format("{:.2f} times the events ({:.2f} to {:.2f})", times.value, *times.low,
                     *times.high);
}

std::string fairness_words(const Shown& shown) {
  const double index = median(shown.fairness);
  if (index >= kEven) return fmt::format("evenly shared (Jain's index {:.2f})", index);
  return fmt::format(
      "unevenly shared: the least gets {:.0f} % of an equal share (Jain's index "
      "{:.2f})",
      100 * median(shown.least_share), index);
}

// "with 4 threads 3.98 times the events (…), evenly shared (…), and a p99 of 1 ms at worst".
std::string words_about(const Shown& shown, const AnswerFigure& times, bool closed_loop) {
  std::string text = fmt::format("with {} ", words_of(shown.writers));
  if (closed_loop) text += times_words(times) + ", " + fairness_words(shown) + ", and ";
  return text + fmt::format("a p99 of {} at worst", duration_words(median(shown.worst_p99_ns)));
}

void add_writer_figures(const Shown& shown, std::vector<AnswerFigure>& figures) {
  const std::string key = key_of(shown.writers);
  figures.push_back(range_figure(key + "_rate_hz", shown.rate_hz, "events of all writers"));
  figures.push_back(range_figure(key + "_worst_p99_ns", shown.worst_p99_ns,
                                 "99th percentile of the response time of the worst writer"));
  if (shown.writers.all() == 1) return;
  figures.push_back(range_figure(key + "_best_p99_ns", shown.best_p99_ns,
                                 "99th percentile of the response time of the best writer"));
  figures.push_back(range_figure(key + "_fairness", shown.fairness,
                                 "Jain's index of the writers' rates, 1: all have the same"));
  figures.push_back(range_figure(key + "_least_share", shown.least_share,
                                 "the least rate of a writer as a share of the mean one"));
}

// What became of the events of several writers.
struct Kept {
  std::uint64_t emitted = 0;
  std::uint64_t lost = 0;  // or unaccounted for
  std::uint64_t torn = 0;
  bool damage = false;  // bytes that are no events
  bool checked = true;
};

Kept kept_in(const Result& result) {
  Kept kept;
  for (const Trial& trial : result.trials) {
    const bool alone = trial.load.threads == 1 && !trial.further;
    if (alone || trial.outcome != TrialOutcome::completed) continue;
    const LedgerAccount& ledger = trial.ledger;
    kept.checked = kept.checked && ledger.checked;
    kept.emitted += ledger.emitted;
    kept.torn += ledger.corrupted;
    kept.damage = kept.damage || ledger.damaged_bytes > 0;
    const std::uint64_t whole = ledger.delivered + ledger.corrupted;
    kept.lost += ledger.emitted - std::min(ledger.emitted, whole);
  }
  return kept;
}

std::string kept_words(const Kept& kept) {
  if (kept.lost == 0 && kept.torn == 0 && !kept.damage) {
    return fmt::format("All {} events of several writers came back, and none is torn.",
                       kept.emitted);
  }
  return fmt::format("Of {} events of several writers, {} were lost and {} torn{}.", kept.emitted,
                     kept.lost, kept.torn,
                     kept.damage ? ", and bytes that are no events came" : "");
}

class Contention : public Scenario {
 public:
  std::string name() const override { return "contention"; }
  std::string description() const override {
    return "threads and processes on one sink: who waits for whom, and are the events whole";
  }

  OptionTable options() const override {
    return with_writer_lists(
        with_defaults(with_load_options({
                          {"rate_hz", OptionType::real, "0",
                           "events per second of each writer; 0: as fast as calls return", 0, 1e9},
                          {kJoins, OptionType::boolean, "false",
                           "in a last step a second program starts to write in the middle"},
                      }),
                      {{"trials", "5"}, {"duration_s", "0.5"}, {"warmup_s", "0.2"}}),
        "1, 2, 4", "1, 2, 4");
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    const std::vector<Writers> tried = tried_by(options);
    if (before.size() >= max_steps(options)) return std::nullopt;
    LoadPlan plan = load_from(options);
    set_writers(tried[before.size() % tried.size()], plan);  // the first again, to be joined
    const double rate_hz = options.real("rate_hz") * plan.threads;
    plan.shape = rate_hz > 0 ? Shape::steady : Shape::max;
    if (rate_hz > 0) plan.rate_hz = rate_hz;
    return plan;
  }

  std::size_t max_steps(const Options& options) const override {
    return tried_by(options).size() + (options.boolean(kJoins) ? 1 : 0);
  }

  std::vector<TrialAction> actions(const Options& options, std::size_t step) const override {
    if (step < tried_by(options).size()) return {};
    return {{.what = ActionKind::start, .at_s = options.real("duration_s") / 3}};
  }

  std::optional<Answer> answer(const Result& result) const override;
};

// The most threads, and the most processes, that were tried.
std::vector<Shown> last_of_each(const std::vector<Shown>& all) {
  std::vector<Shown> last;
  for (const bool processes : {false, true}) {
    const Shown* most = nullptr;
    for (const Shown& shown : all) {
      const bool is_of_kind = shown.writers.all() > 1 && (shown.writers.processes > 1) == processes;
      if (is_of_kind && (most == nullptr || shown.writers.all() > most->writers.all())) {
        most = &shown;
      }
    }
    if (most != nullptr) last.push_back(*most);
  }
  return last;
}

std::optional<Answer> Contention::answer(const Result& result) const {
  if (result.scenario.name != name()) return std::nullopt;
  const std::vector<Shown> all = shown_by(result);
  if (all.empty() || all.front().writers.all() != 1) return std::nullopt;
  const Shown& one = all.front();
  const bool closed_loop = result.trials.front().load.shape == Shape::max;
  Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
  answer.cannot = not_taken(tried_by(given_options(*this, result)), result.sink);
  for (const Shown& shown : all) {
    add_writer_figures(shown, answer.figures);
    if (shown.writers.all() > 1 && closed_loop) {
      answer.figures.push_back(times_figure(shown, one));
    }
  }
  std::vector<std::string> clauses;
  for (const Shown& shown : last_of_each(all)) {
    clauses.push_back(words_about(shown, times_figure(shown, one), closed_loop));
  }
  answer.sentence = fmt::format(
      "One thread {} `{}` with a p99 of {}{}.",
      closed_loop
          ? fmt::format("gets {} events/s into", rate_words(median(one.rate_hz)))
          : fmt::format("writes {} events/s into", rate_words(result.trials.front().load.rate_hz)),
      result.sink.label, duration_words(median(one.worst_p99_ns)),
      clauses.empty() ? "" : "; " + fmt::format("{}", fmt::join(clauses, "; ")));
  add_joined(joined_in(result), one, answer);
  const std::vector<std::string> refused = refused_actions(result);
  answer.cannot.insert(answer.cannot.end(), refused.begin(), refused.end());
  const Kept kept = kept_in(result);
  if (!result.sink.read_back && !result.sink.live_read) {
    answer.cannot.push_back("be read back: whether its events stay whole stays unseen");
  } else if (kept.emitted > 0 && kept.checked) {
    answer.holds = kept.lost == 0 && kept.torn == 0 && !kept.damage;
    answer.sentence += " " + kept_words(kept);
  }
  return answer;
}

}  // namespace

std::unique_ptr<const Scenario> make_contention_scenario() {
  return std::make_unique<Contention>();
}

}  // namespace tailgate
