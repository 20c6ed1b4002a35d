// A queue in front of the sink, beside the sink itself: which call is faster, at which rate, and
// who pays when the queue is full. Trials of both sides alternate, so that what changes on the
// machine changes both.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/base/error.h"
#include "harness/run/scenario.h"
#include "harness/stats/trial_interval.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

constexpr double kQueueConfidence = 0.95;

enum class QueueSide { direct, waiting, dropping };  // the queues: what they do when they are full

// A step's place in its round: one rate or, at 0, as fast as calls return.
struct QueuePlace {
  std::size_t round = 0;
  double rate_hz = 0;
  QueueSide side = QueueSide::direct;
};

// Each round has every rate on both sides, then all sides as fast as calls return. The side that
// comes first changes from round to round.
QueuePlace queue_place(const Options& options, std::size_t step) {
  const std::vector<double> rates = parse_rates(options.text("rates_hz"));
  const std::size_t in_round = 2 * rates.size() + 3;
  const std::size_t round = step / in_round;
  const std::size_t at = step % in_round;
  if (at < 2 * rates.size()) {
    const bool direct = (at + round + at / 2) % 2 == 0;
    return {round, rates[at / 2], direct ? QueueSide::direct : QueueSide::waiting};
  }
  return {round, 0, static_cast<QueueSide>((at - 2 * rates.size() + round) % 3)};
}

bool has_calls(const Trial& trial) {
  return trial.outcome == TrialOutcome::completed && trial.service.count > 0;
}

// The measured trials of one rate, by side and round.
struct QueueRate {
  std::map<QueueSide, std::map<std::size_t, const Trial*>> trials;

  template <class Figure>
  std::vector<double> values(QueueSide side, const Figure& figure) const {
    std::vector<double> all;
    const auto of_side = trials.find(side);
    if (of_side == trials.end()) return all;
    for (const auto& [round, trial] : of_side->second) all.push_back(figure(*trial));
    return all;
  }

  // Logarithms of what `figure` is through the queue, as a share of what it is directly, of the
  // rounds that have both.
  template <class Figure>
  std::vector<double> log_ratios(QueueSide queued, const Figure& figure) const {
    std::vector<double> ratios;
    if (!trials.contains(QueueSide::direct) || !trials.contains(queued)) return ratios;
    for (const auto& [round, direct] : trials.at(QueueSide::direct)) {
      const auto other = trials.at(queued).find(round);
      if (other == trials.at(queued).end()) continue;
      ratios.push_back(
          std::log(std::max(1.0, figure(*other->second)) / std::max(1.0, figure(*direct))));
    }
    return ratios;
  }

  bool misses(QueueSide side) const {
    const auto missed = values(side, [](const Trial& trial) { return trial.rate_missed ? 1 : 0; });
    return std::count(missed.begin(), missed.end(), 1) * 2 > static_cast<int>(missed.size());
  }
};

std::map<double, QueueRate> queue_rates(const Result& result, const Options& options) {
  std::map<double, QueueRate> rates;
  for (const Trial& trial : result.trials) {
    const QueuePlace place = queue_place(options, trial.step);
    if (has_calls(trial)) rates[place.rate_hz].trials[place.side][place.round] = &trial;
  }
  return rates;
}

double call_p50_ns(const Trial& trial) {
  return static_cast<double>(trial.service.p50_ns);
}
double call_p99_ns(const Trial& trial) {
  return static_cast<double>(trial.service.p99_ns);
}
double lost_share(const Trial& trial) {
  return static_cast<double>(trial.ledger.lost) /
         static_cast<double>(std::max<std::uint64_t>(1, trial.ledger.emitted));
}

AnswerFigure ratio_figure(std::string name, const std::vector<double>& log_ratios,
                          const std::string& what) {
  AnswerFigure figure{.name = std::move(name),
                      .value = std::exp(log_ratios.front()),
                      .low = {},
                      .high = {},
                      .trials = static_cast<unsigned>(log_ratios.size()),
                      .about = what + " through the queue, as a share of a direct one's; one pair"};
  if (const auto interval = trial_interval(log_ratios, kQueueConfidence)) {
    figure.value = std::exp(interval->estimate);
    figure.low = std::exp(interval->low);
    figure.high = std::exp(interval->high);
    figure.about = fmt::format(
        "{} through the queue, as a share of a direct one's: {} of the pairs of trials, one after "
        "the other, and its {:.0f} % confidence interval",
        what, interval->of_median ? "median" : "geometric mean", 100 * kQueueConfidence);
  }
  return figure;
}

enum class QueueFinding { faster, slower, no_difference };

QueueFinding queue_finding(const AnswerFigure& ratio) {
  if (ratio.high && *ratio.high < 1) return QueueFinding::faster;
  if (ratio.low && *ratio.low > 1) return QueueFinding::slower;
  return QueueFinding::no_difference;
}

// "0.35", "8.1", "1200".
std::string times_words(double ratio) {
  return ratio < 10 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.0f}", ratio);
}

std::string pair_range_words(const AnswerFigure& ratio) {
  if (!ratio.low || !ratio.high) return times_words(ratio.value) + " times, one pair";
  return fmt::format("{} to {} times, {} pairs", times_words(*ratio.low), times_words(*ratio.high),
                     ratio.trials);
}

// What was found of the rates, as it is said.
struct QueueFound {
  std::map<QueueFinding, std::vector<std::string>> rates;
  std::vector<std::string> clauses;
};

std::string missed_words(const QueueRate& rate) {
  const bool direct = rate.misses(QueueSide::direct);
  const bool queued = rate.misses(QueueSide::waiting);
  if (direct && queued) return ", and both miss the rate";
  if (direct) return ", and direct calls miss the rate";
  return queued ? ", and those through the queue miss the rate" : "";
}

void add_queue_rate(double rate_hz, const QueueRate& rate, QueueFound& found, Answer& answer) {
  const std::vector<double> ratios = rate.log_ratios(QueueSide::waiting, call_p50_ns);
  if (ratios.empty()) return;
  const std::string at = fmt::format("at_{:.0f}_hz", rate_hz);
  const auto add = [&](QueueSide side, const char* word) {
    answer.figures.push_back(range_figure(fmt::format("{}_{}_service_p50_ns", word, at),
                                          rate.values(side, call_p50_ns), "median call"));
    answer.figures.push_back(range_figure(fmt::format("{}_{}_service_p99_ns", word, at),
                                          rate.values(side, call_p99_ns),
                                          "99th percentile of a call"));
    return answer.figures[answer.figures.size() - 2].value;
  };
  const double direct_ns = add(QueueSide::direct, "direct");
  const double queued_ns = add(QueueSide::waiting, "queued");
  const AnswerFigure ratio = ratio_figure("queued_" + at + "_p50_ratio", ratios, "a median call");
  answer.figures.push_back(ratio);
  answer.figures.push_back(ratio_figure("queued_" + at + "_p99_ratio",
                                        rate.log_ratios(QueueSide::waiting, call_p99_ns),
                                        "the 99th percentile of a call"));
  found.rates[queue_finding(ratio)].push_back(rate_words(rate_hz));
  found.clauses.push_back(fmt::format(
      "{} instead of {} at {} events/s ({}{})", duration_words(queued_ns),
      duration_words(direct_ns), rate_words(rate_hz), pair_range_words(ratio), missed_words(rate)));
}

// "faster at 1k and 10k events/s, slower at 100k events/s".
std::string queue_finding_words(const QueueFound& found) {
  constexpr std::pair<QueueFinding, const char*> kWords[] = {
      {QueueFinding::faster, "faster"},
      {QueueFinding::no_difference, "no different"},
      {QueueFinding::slower, "slower"}};
  std::vector<std::string> texts;
  for (const auto& [finding, word] : kWords) {
    const auto rates = found.rates.find(finding);
    if (rates == found.rates.end()) continue;
    texts.push_back(fmt::format("{} at {} events/s", word, joined_words(rates->second)));
  }
  return joined_words(texts);
}

// Who pays when the queue is full; it is filled as fast as calls return.
std::string full_words(const QueueRate& fastest, Answer& answer) {
  const std::vector<double> lost = fastest.values(QueueSide::dropping, lost_share);
  const std::vector<double> ratios = fastest.log_ratios(
      QueueSide::waiting, [](const Trial& trial) { return trial.service.mean_ns; });
  if (lost.empty() || ratios.empty()) return "";
  const AnswerFigure dropped =
      range_figure("full_dropped_share", lost, "share of the events that a full queue drops");
  const AnswerFigure mean_ns = range_figure(
      "full_queued_service_mean_ns",
      fastest.values(QueueSide::waiting, [](const Trial& trial) { return trial.service.mean_ns; }),
      "mean call while the queue is filled as fast as calls return");
  const AnswerFigure ratio =
      ratio_figure("full_queued_mean_ratio", ratios, "a mean call, as fast as calls return,");
  answer.figures.insert(answer.figures.end(), {dropped, mean_ns, ratio});
  if (dropped.high == 0) {
    return " As fast as calls return it does not fill: the sink behind it keeps up.";
  }
  return fmt::format(
      " When it is full, callers wait ({} a call in a closed loop, {} times a direct one's), "
      "or "
      "with queued_when_full=drop {:.3g} % of the events are lost.",
      duration_words(mean_ns.value), times_words(ratio.value), 100 * dropped.value);
}

class Queue : public Scenario {
 public:
  std::string name() const override { return "queue"; }
  std::string description() const override {
    return "a queue in front of the sink: faster or slower, at which rate, and who pays if full";
  }

  OptionTable options() const override {
    return with_defaults(
        with_load_options({
            {"rates_hz", OptionType::text, "1k,10k,100k",
             "ascending list of events per second, all threads together"},
            {"queued_events", OptionType::integer, "1024", "events that the queue holds at most", 1,
             1 << 24},
            {"queued_wake_events", OptionType::integer, "1",
             "the queue's thread sleeps until so many events are there", 1, 1 << 24},
        }),
        {{"trials", "5"}, {"duration_s", "1"}, {"warmup_s", "0.2"}});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (before.size() == max_steps(options)) return std::nullopt;
    const QueuePlace place = queue_place(options, before.size());
    LoadPlan plan = load_from(options);
    plan.shape = place.rate_hz > 0 ? Shape::steady : Shape::max;
    plan.rate_hz = place.rate_hz;
    return plan;
  }

  // A step is one trial; `trials` are the rounds.
  std::size_t trials(const Options&, std::span<const StepOutcome>) const override { return 1; }

  std::size_t max_steps(const Options& options) const override {
    return static_cast<std::size_t>(options.integer("trials")) *
           (2 * parse_rates(options.text("rates_hz")).size() + 3);
  }

  std::vector<std::string> sink_options(const Options& options, std::size_t step) const override {
    const QueueSide side = queue_place(options, step).side;
    if (side == QueueSide::direct) return {};
    return {fmt::format("queued_events={}", options.integer("queued_events")),
            fmt::format("queued_wake_events={}", options.integer("queued_wake_events")),
            fmt::format("queued_when_full={}", side == QueueSide::dropping ? "drop" : "block")};
  }

  std::optional<Answer> answer(const Result& result) const override {
    if (result.scenario.name != name()) return std::nullopt;
    const std::map<double, QueueRate> rates = queue_rates(result, given_options(*this, result));
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    QueueFound found;
    for (const auto& [rate_hz, rate] : rates) {
      if (rate_hz > 0) add_queue_rate(rate_hz, rate, found, answer);
    }
    if (found.clauses.empty()) return std::nullopt;
    answer.sentence =
        fmt::format("Through a queue a call of `{}` is {}: it takes {}.", result.sink.label,
                    queue_finding_words(found), joined_words(found.clauses));
    if (const auto fastest = rates.find(0); fastest != rates.end()) {
      answer.sentence += full_words(fastest->second, answer);
    }
    if (!result.sink.read_back && !result.sink.live_read) {
      answer.cannot.push_back("be read back: what it loses without saying so stays unseen");
    }
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_queue_scenario() {
  return std::make_unique<Queue>();
}

}  // namespace tailgate
