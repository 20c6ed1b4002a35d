// How fresh a live reader's events are, by rate, and who pays for a reader that is slow or stands
// still, or for a second one: the writer, whose calls wait, memory that grows, or the data, which
// are lost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/result/latency.h"
#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

enum class Reader { free, slow, stalled, second };

// What the trials of one kind of reader at one rate showed.
struct Readings {
  std::vector<double> p50_ns, p99_ns;  // delivery
  std::vector<double> response_p99_ns;
  std::vector<double> lost;
  std::vector<double> memory_bytes;    // of program and daemons, at its highest
  std::vector<double> second_missing;  // in what a second reader read to the end
};

// By how often it was stopped, or whether a second one came; nothing if that could not be done.
std::optional<Reader> reader_of(const Trial& trial) {
  if (!trial.actions) return Reader::free;
  unsigned stops = 0;
  for (const ActionDone& action : *trial.actions) {
    if (!action.refused.empty() || action.who != ActionTarget::consumer) return std::nullopt;
    if (action.what == ActionKind::start) return Reader::second;
    stops += action.what == ActionKind::stop ? 1 : 0;
  }
  if (stops == 0) return std::nullopt;
  return stops == 1 ? Reader::stalled : Reader::slow;
}

std::uint64_t memory_of(const Trial& trial) {
  std::uint64_t bytes = 0;
  if (!trial.overhead) return bytes;
  for (const RoleUse& use : trial.overhead->roles) {
    if (use.role != "provider" && use.role != "daemons") continue;
    bytes += use.counters.peak_rss_bytes.value_or(0);
  }
  return bytes;
}

// The response times while a further reader read: those of the intervals that began when it had
// come. So what starting its process costs is in none of them. All of them, if nobody else read;
// nothing if no interval began after it had come.
std::optional<Latency> response_beside(const Trial& trial) {
  const auto further = trial.further.value_or(std::vector<FurtherUse>{});
  if (further.empty()) return trial.response;
  std::optional<Latency> beside;
  for (const Interval& interval : trial.intervals) {
    const bool all_read = std::ranges::all_of(further, [&](const FurtherUse& use) {
      return use.ready_ns && *use.ready_ns <= interval.start_ns;
    });
    if (!all_read || interval.response.count == 0) continue;
    beside = beside ? joined(*beside, interval.response) : interval.response;
  }
  return beside;
}

// Of trials that say nothing of a second reader.
void add_late_readers(const Result& result, Answer& answer) {
  const auto late = std::ranges::count_if(
      result.trials, [](const Trial& trial) { return !response_beside(trial); });
  if (late == 0) return;
  answer.cannot.push_back(fmt::format(
      "start consumer: in {} of the trials no interval of the load began after it had come; a "
      "longer duration_s gives it time",
      late));
}

using Key = std::pair<Reader, double>;  // with the rate

std::map<Key, Readings> readings_in(const Result& result) {
  std::map<Key, Readings> all;
  for (const Trial& trial : result.trials) {
    const std::optional<Reader> reader = reader_of(trial);
    if (!reader || trial.outcome != TrialOutcome::completed || !trial.consumer.delivery) continue;
    const std::optional<Latency> response = response_beside(trial);
    if (!response) continue;
    Readings& seen = all[{*reader, trial.load.rate_hz}];
    const auto add = [](std::vector<double>& values, std::uint64_t value) {
      values.push_back(static_cast<double>(value));
    };
    add(seen.p50_ns, trial.consumer.delivery->p50_ns);
    add(seen.p99_ns, trial.consumer.delivery->p99_ns);
    add(seen.response_p99_ns, response->p99_ns);
    add(seen.lost, trial.ledger.emitted - std::min(trial.ledger.emitted, trial.ledger.delivered));
    add(seen.memory_bytes, memory_of(trial));
    for (const FurtherUse& use : trial.further.value_or(std::vector<FurtherUse>{})) {
      if (use.checked) add(seen.second_missing, use.missing + use.corrupted);
    }
  }
  return all;
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
double highest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
double middle(const std::vector<double>& values) {
  return range_figure("", values, "").value;
}

std::string ns_range(const std::vector<double>& values) {
  return duration_range_words(least(values), highest(values));
}

// Who pays clearly: in every trial more than in any trial with a free reader. nobody: who pays if
// none of these does.
std::string payers(const Readings& seen, const Readings& free, const char* nobody) {
  constexpr double kMebibyte = 1 << 20;
  std::vector<std::string> all;
  if (least(seen.lost) > highest(free.lost)) {
    all.push_back(
        fmt::format("the data ({} are lost)", event_words(least(seen.lost), highest(seen.lost))));
  }
  // A processor that has less to do may take tens of microseconds longer to wake up.
  constexpr double kLeastWaitNs = 200e3;
  const double free_ns = highest(free.response_p99_ns);
  if (least(seen.response_p99_ns) > std::max(2 * free_ns, free_ns + kLeastWaitNs)) {
    all.push_back(fmt::format("the writer (p99 of its response {} against {})",
                              ns_range(seen.response_p99_ns), ns_range(free.response_p99_ns)));
  }
  if (least(seen.memory_bytes) > highest(free.memory_bytes) + kMebibyte) {
    all.push_back(fmt::format("memory ({:.3g} MiB against {:.3g} MiB)",
                              middle(seen.memory_bytes) / kMebibyte,
                              middle(free.memory_bytes) / kMebibyte));
  }
  if (all.empty()) {
    return fmt::format("{} (99 % of the events come within {})", nobody, ns_range(seen.p99_ns));
  }
  return joined_words(all);
}

std::string freshness(const std::map<Key, Readings>& all) {
  std::vector<std::string> parts;
  for (const auto& [key, seen] : all) {
    if (key.first != Reader::free) continue;
    parts.push_back(fmt::format("{} and {} at {} events/s", duration_words(middle(seen.p50_ns)),
                                duration_words(middle(seen.p99_ns)), rate_words(key.second)));
  }
  return joined_words(parts);
}

void add_reader_figures(Reader reader, const std::string& name, const Readings& seen,
                        Answer& answer) {
  answer.figures.push_back(range_figure(
      name + "_response_p99_ns", seen.response_p99_ns,
      reader == Reader::second ? "99th percentile of the response time in the intervals that began "
                                 "after the second reader had come"
                               : "99th percentile of the response time"));
  answer.figures.push_back(
      range_figure(name + "_delivery_p99_ns", seen.p99_ns, "99th percentile of the delivery time"));
  answer.figures.push_back(
      range_figure(name + "_lost_events", seen.lost, "events that were not read back"));
  answer.figures.push_back(range_figure(name + "_peak_rss_bytes", seen.memory_bytes,
                                        "resident memory of program and daemons at its highest"));
}

// What the second reader read, where one read to the end.
void add_second(const Readings& seen, Answer& answer) {
  if (seen.second_missing.empty()) return;
  answer.figures.push_back(range_figure(
      "second_missing_events", seen.second_missing,
      "events that are missing in what the second reader read, or are not as they were written"));
  const double most = highest(seen.second_missing);
  answer.sentence +=
      most == 0 ? " It misses none." : fmt::format(" It misses {}.", event_words(most, most));
}

class Realtime : public Scenario {
 public:
  std::string name() const override { return "realtime"; }
  std::string description() const override {
    return "how fresh a live reader's events are, and who pays for a slow, stalled or second one";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"rates_hz", OptionType::text, "1000,10000",
                 "rates, ascending; a slow, a stalled and a second reader read at the last one"},
                {"stop_s", OptionType::real, "0.05",
                 "the slow reader is stopped for so long, then runs as long, again and again",
                 0.005, 10},
                {"stall_s", OptionType::real, "0.5",
                 "the stalled reader is stopped once, for so long", 0.005, 60},
            }),
            {{"trials", "5"}, {"duration_s", "1"}, {"warmup_s", "0.2"}}),
        {"events"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (before.size() == max_steps(options)) return std::nullopt;
    const std::vector<double> rates = parse_rates(options.text("rates_hz"));
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = rates[std::min(before.size(), rates.size() - 1)];
    return plan;
  }

  std::size_t max_steps(const Options& options) const override {
    return parse_rates(options.text("rates_hz")).size() + 3;
  }

  std::vector<TrialAction> actions(const Options& options, std::size_t step) const override {
    const std::size_t rates = parse_rates(options.text("rates_hz")).size();
    if (step < rates) return {};
    const double stop_s = options.real("stop_s");
    TrialAction action{.what = ActionKind::stop, .who = ActionTarget::consumer};
    if (step == rates) {
      action.at_s = stop_s;
      action.for_s = stop_s;
      action.every_s = 2 * stop_s;
    } else {
      action.at_s = options.real("duration_s") / 4;
      if (step == rates + 1) action.for_s = options.real("stall_s");
      if (step == rates + 2) action.what = ActionKind::start;
    }
    return {action};
  }

  bool judges() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    answer.cannot = refused_actions(result);
    add_late_readers(result, answer);
    const std::map<Key, Readings> all = readings_in(result);
    if (all.empty()) {
      if (answer.cannot.empty()) return std::nullopt;
      answer.sentence =
          fmt::format("`{}`: nobody can read while the load runs.", result.sink.label);
      return answer;
    }
    answer.sentence = fmt::format("`{}` delivers half and 99 % of its events within {}.",
                                  result.sink.label, freshness(all));
    for (const auto& [key, seen] : all) {
      if (key.first != Reader::free) continue;
      const std::string at = fmt::format("at_{:.0f}_hz_delivery", key.second);
      answer.figures.push_back(
          range_figure(at + "_p50_ns", seen.p50_ns, "median of the delivery time at this rate"));
      answer.figures.push_back(
          range_figure(at + "_p99_ns", seen.p99_ns, "99th percentile of the delivery time"));
    }
    add_payers(all, answer);
    return answer;
  }

 private:
  static void add_payers(const std::map<Key, Readings>& all, Answer& answer) {
    constexpr const char* kAlone = "the reader alone";
    bool free_added = false;
    for (const auto& [reader, name, words, nobody] :
         {std::tuple{Reader::slow, "slow", "A reader that is stopped half of the time", kAlone},
          std::tuple{Reader::stalled, "stalled", "One that stands still once", kAlone},
          std::tuple{Reader::second, "second", "A second one that comes during the load",
                     "nobody"}}) {
      for (const auto& [key, seen] : all) {
        if (key.first != reader) continue;
        const auto free = all.find({Reader::free, key.second});
        if (free == all.end()) continue;
        if (!std::exchange(free_added, true)) {
          add_reader_figures(Reader::free, "free", free->second, answer);
        }
        add_reader_figures(reader, name, seen, answer);
        answer.sentence += fmt::format(" {} at {} events/s costs {}.", words,
                                       rate_words(key.second), payers(seen, free->second, nobody));
        add_second(seen, answer);
      }
    }
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_realtime_scenario() {
  return std::make_unique<Realtime>();
}

}  // namespace tailgate
