// Switches what is listened to off and on, many times a second under load: what calls at the switch
// take, which events are missed after an enable, which are still written after a disable, and
// whether any is lost between. Or a rival's controller switches a second session of the provider,
// or starts one and ends it again: what that costs the first one.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/result/latency.h"
#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// A call at a switch stalls if it takes 20 us longer than twice the p99.9 of the others. A shorter
// delay is no finding: the first call after each switch reads what another processor just wrote,
// which takes 0.3 to 6 us on the virtual machines seen so far. If the switch plays no part, 0.1 %
// of the calls are as slow at most. It does where ten times as many are, and two at least, in every
// trial.
constexpr double kSlowTimes = 2;
constexpr double kLeastStall_ns = 20'000;
constexpr double kClearly = 10;

// What the trials in which the session was switched showed.
struct Toggled {
  std::vector<double> slow_per_switch;
  bool clearly_slow = true;                                // in every trial
  std::vector<double> at_switch_p99_ns, at_switch_max_ns;  // service times
  std::vector<double> elsewhere_p99_ns, elsewhere_p99_9_ns;
  std::vector<double> switch_ns;
  std::vector<double> missed, missed_ns, leaked, leaked_ns, lost;  // where events were read back
  // Where a rival's session was switched: what is missing in the first one, and was emitted.
  std::vector<double> first_lost, first_emitted;
  // What the session sent its provider, and what of that did not arrive.
  std::vector<double> sent, not_told, wrong_arguments;
  std::vector<double> filters_sent, filters_not_told, captures_sent, captures_not_told;
  // Where a rival started its session during the load: what that one should have had and has not.
  std::vector<double> rival_missing, rival_due;
};

bool is_of_rival(const Trial& trial) {
  const auto& actions = trial.actions;
  return actions && std::any_of(actions->begin(), actions->end(), [](const ActionDone& action) {
           return action.who == ActionTarget::rival;
         });
}

void add_rival(const FurtherUse& use, Toggled& seen) {
  if (use.who != ActionTarget::rival || !use.checked) return;
  seen.rival_missing.push_back(static_cast<double>(use.missing));
  seen.rival_due.push_back(static_cast<double>(use.due));
}

// What the first session should have got, and did not.
void add_first_lost(const LedgerAccount& ledger, Toggled& seen) {
  if (!ledger.checked) return;
  seen.first_lost.push_back(static_cast<double>(ledger.lost + ledger.unaccounted));
  seen.first_emitted.push_back(static_cast<double>(ledger.emitted));
}

void add_commands(const SwitchCommands& commands, Toggled& seen) {
  const auto add = [](std::vector<double>& values, std::uint64_t value) {
    values.push_back(static_cast<double>(value));
  };
  add(seen.sent, commands.sent);
  add(seen.not_told, commands.sent - commands.arrived);
  add(seen.wrong_arguments, commands.arrived - std::min(commands.arrived, commands.with_arguments));
  add(seen.filters_sent, commands.filters_sent);
  add(seen.filters_not_told, commands.filters_sent - commands.filters_arrived);
  add(seen.captures_sent, commands.captures_sent);
  add(seen.captures_not_told, commands.captures_sent - commands.captures_arrived);
}

std::uint64_t longest_usual_ns(const Switching& switching) {
  return static_cast<std::uint64_t>(kSlowTimes * static_cast<double>(switching.elsewhere.p99_9_ns) +
                                    kLeastStall_ns);
}

double calls_beyond(const Latency& calls, std::uint64_t limit_ns) {
  const Histogram times = decode_latency(calls);
  return static_cast<double>(times.count_between(limit_ns + 1, times.max()));
}

// Whether there were calls in the switches and between them: a load that was held up has none.
bool met_calls(const Switching& switching) {
  return switching.at_switch.count > 0 && (!switching.events || switching.events->off > 0);
}

Toggled toggled_in(const Result& result) {
  Toggled seen;
  const auto add = [](std::vector<double>& values, std::uint64_t value) {
    values.push_back(static_cast<double>(value));
  };
  for (const Trial& trial : result.trials) {
    if (!trial.switching || trial.outcome != TrialOutcome::completed) continue;
    if (!met_calls(*trial.switching)) continue;
    const Switching& calls = *trial.switching;
    const std::uint64_t limit_ns = longest_usual_ns(calls);
    const double slow = calls_beyond(calls.at_switch, limit_ns);
    const double usual = calls_beyond(calls.elsewhere, limit_ns) *
                         static_cast<double>(calls.at_switch.count) /
                         static_cast<double>(std::max<std::uint64_t>(calls.elsewhere.count, 1));
    seen.slow_per_switch.push_back(slow / static_cast<double>(trial.switching->switches));
    seen.clearly_slow = seen.clearly_slow && slow >= std::max(2.0, kClearly * usual);
    add(seen.at_switch_p99_ns, trial.switching->at_switch.p99_ns);
    add(seen.at_switch_max_ns, trial.switching->at_switch.max_ns);
    add(seen.elsewhere_p99_ns, trial.switching->elsewhere.p99_ns);
    add(seen.elsewhere_p99_9_ns, trial.switching->elsewhere.p99_9_ns);
    add(seen.switch_ns, trial.switching->switch_p50_ns);
    if (is_of_rival(trial)) add_first_lost(trial.ledger, seen);
    if (trial.switching->commands) add_commands(*trial.switching->commands, seen);
    for (const FurtherUse& use : trial.further.value_or(std::vector<FurtherUse>{})) {
      add_rival(use, seen);
    }
    if (!trial.switching->events) continue;
    const SwitchedEvents& events = *trial.switching->events;
    add(seen.missed, events.missed_most);
    add(seen.missed_ns, events.missed_ns);
    add(seen.leaked, events.leaked_most);
    add(seen.leaked_ns, events.leaked_ns);
    add(seen.lost, events.lost_between);
  }
  return seen;
}

double most_of(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

std::string most_events(const std::vector<double>& values) {
  return event_words(most_of(values), most_of(values));
}

std::string range_of(const std::vector<double>& values_ns) {
  const auto [low, high] = std::minmax_element(values_ns.begin(), values_ns.end());
  return duration_range_words(*low, *high);
}

std::string call_words(const Toggled& seen) {
  if (!seen.clearly_slow) {
    return fmt::format("no calls stall at a switch (p99 {} against {} of the others)",
                       range_of(seen.at_switch_p99_ns), range_of(seen.elsewhere_p99_ns));
  }
  const AnswerFigure slow = range_figure("", seen.slow_per_switch, "");
  return fmt::format("{:.2g} calls stall at each switch (the longest {}, the others' p99.9 {})",
                     slow.value, range_of(seen.at_switch_max_ns),
                     range_of(seen.elsewhere_p99_9_ns));
}

std::string event_clauses(const Toggled& seen) {
  if (seen.lost.empty()) return "; what became of its events is unknown";
  const std::string missed =
      most_of(seen.missed) == 0
          ? "an enable misses no event"
          : fmt::format("an enable misses up to {} ({})", most_events(seen.missed),
                        duration_words(most_of(seen.missed_ns)));
  const std::string leaked =
      most_of(seen.leaked) == 0
          ? "none is written after a disable"
          : fmt::format("up to {} written after a disable (for {})",
                        most_events(seen.leaked) + " are", duration_words(most_of(seen.leaked_ns)));
  const std::string lost = most_of(seen.lost) == 0
                               ? "none is lost between"
                               : fmt::format("up to {} lost between, where none may be",
                                             most_events(seen.lost) + " are");
  return fmt::format("; {}, {} and {}", missed, leaked, lost);
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// "all 21 enables and disables", or "18 of 21 enables and disables".
std::string told_words(const std::vector<double>& sent, const std::vector<double>& missing,
                       const char* what) {
  if (sum_of(missing) == 0) return fmt::format("all {:.0f} {}", sum_of(sent), what);
  return fmt::format("{:.0f} of {:.0f} {}", sum_of(sent) - sum_of(missing), sum_of(sent), what);
}

// "; its provider is told of all 21 enables and disables, …".
std::string command_clauses(const Toggled& seen) {
  if (seen.sent.empty()) return "";
  std::string words =
      "; its provider is told of " + told_words(seen.sent, seen.not_told, "enables and disables");
  const double wrong = sum_of(seen.wrong_arguments);
  words += wrong == 0 ? ", with their level and keywords"
                      : fmt::format(", {:.0f} of them with another level or other keywords", wrong);
  if (sum_of(seen.filters_sent) + sum_of(seen.captures_sent) == 0) return words;
  return fmt::format(
      "{}, of the filter data of {}, and of {}", words,
      told_words(seen.filters_sent, seen.filters_not_told, "enables"),
      told_words(seen.captures_sent, seen.captures_not_told, "requests for its state"));
}

bool all_told(const Toggled& seen) {
  return sum_of(seen.not_told) + sum_of(seen.wrong_arguments) + sum_of(seen.filters_not_told) +
             sum_of(seen.captures_not_told) ==
         0;
}

void add_command_figures(const Toggled& seen, std::vector<AnswerFigure>& figures) {
  if (seen.sent.empty()) return;
  const auto add = [&](const char* name, const std::vector<double>& values, const char* about) {
    figures.push_back(range_figure(name, values, about));
  };
  add("commands_sent", seen.sent, "enables and disables that the session sent its provider");
  add("commands_not_told", seen.not_told, "of these, those of which the provider was not told");
  add("commands_wrong", seen.wrong_arguments,
      "those of which it was told with another level or other keywords than were sent");
  if (sum_of(seen.filters_sent) == 0) return;
  add("filters_sent", seen.filters_sent, "enables that had data for the provider");
  add("filters_not_told", seen.filters_not_told, "of these data, those that it did not get");
  add("captures_sent", seen.captures_sent, "requests for the provider's state");
  add("captures_not_told", seen.captures_not_told,
      "of these, those of which the provider was not told");
}

// "the first session loses none of 10000 events".
std::string first_words(const Toggled& seen) {
  if (seen.first_lost.empty()) return "what the first session lost is unknown";
  const double emitted = most_of(seen.first_emitted);
  if (most_of(seen.first_lost) == 0) {
    return fmt::format("the first session loses none of {}", event_words(emitted, emitted));
  }
  return fmt::format("the first session loses up to {} of {:.0f}, where none may be",
                     most_events(seen.first_lost), emitted);
}

// "is in two sessions, and a rival switches …: no calls stall …; the first session loses none …".
std::string rival_words(const Toggled& seen) {
  if (seen.rival_due.empty()) {
    return fmt::format(
        "is in two sessions, and a rival switches the second one off and on again and again: {}; "
        "{}",
        call_words(seen), first_words(seen));
  }
  const double missing = most_of(seen.rival_missing);
  return fmt::format(
      "is in one session, and a rival starts a second one and ends it: {}; {}, and the rival's {}",
      call_words(seen), first_words(seen),
      missing == 0 ? "misses none of its own"
                   : fmt::format("misses up to {} of {:.0f}", event_words(missing, missing),
                                 most_of(seen.rival_due)));
}

std::vector<AnswerFigure> figures_of(const Toggled& seen) {
  std::vector<AnswerFigure> figures = {
      range_figure("slow_per_switch_calls", seen.slow_per_switch,
                   "calls at a switch that took 20 us longer than twice the p99.9 of the others, "
                   "per switch"),
      range_figure("at_switch_p99_ns", seen.at_switch_p99_ns,
                   "99th percentile of the service time of calls at a switch"),
      range_figure("at_switch_max_ns", seen.at_switch_max_ns, "the longest of these"),
      range_figure("elsewhere_p99_ns", seen.elsewhere_p99_ns,
                   "99th percentile of the service time of all other calls"),
      range_figure("elsewhere_p99_9_ns", seen.elsewhere_p99_9_ns, "99.9th percentile of these"),
      range_figure("switch_ns", seen.switch_ns,
                   "median time that the session took to carry out a switch")};
  if (!seen.first_lost.empty()) {
    figures.push_back(range_figure("first_lost_events", seen.first_lost,
                                   "events that the first session lost, or that are unaccounted "
                                   "for, while a rival switched the second one"));
  }
  if (!seen.rival_due.empty()) {
    figures.push_back(range_figure("rival_missing_events", seen.rival_missing,
                                   "events that a session which a rival started during the load "
                                   "misses, of calls from its start to its end"));
  }
  if (seen.lost.empty()) return figures;
  figures.push_back(range_figure("missed_events", seen.missed,
                                 "the most events missed after one enable had returned"));
  figures.push_back(range_figure("missed_ns", seen.missed_ns,
                                 "the longest time from an enable to the first event recorded"));
  figures.push_back(range_figure("leaked_events", seen.leaked,
                                 "the most events written after one disable had returned"));
  figures.push_back(range_figure("leaked_ns", seen.leaked_ns,
                                 "the longest time from a disable to the last event recorded"));
  figures.push_back(range_figure("lost_between_events", seen.lost,
                                 "events lost while the session was enabled and recorded"));
  add_command_figures(seen, figures);
  return figures;
}

class Toggle : public Scenario {
 public:
  std::string name() const override { return "toggle"; }
  std::string description() const override {
    return "switches the session off and on under load: slow calls, missed and late events";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"rate_hz", OptionType::real, "10000", "events per second, all threads together",
                 0.001, 1e9},
                {"off_s", OptionType::real, "0.05", "how long the session is off each time", 0.001,
                 60},
                {"on_s", OptionType::real, "0.05", "how long it is on between", 0.001, 60},
                {"by", OptionType::choice, "session",
                 "what switches: the session enables and disables the events, or its level or its "
                 "keywords take them in or leave them out",
                 0, 0, enum_choices<SwitchWay>()},
                choice_option("who_toggles", "own",
                              "own: the session that is read back; rival: another controller, a "
                              "second session of the same provider; new_rival: it starts that one "
                              "after on_s, and ends it after off_s",
                              {"own", kRival, kNewRival}),
            }),
            {{"trials", "5"}, {"duration_s", "1"}, {"warmup_s", "0.2"}}),
        {"events"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    if (options.text("who_toggles") == kRival) plan.sessions = 2;
    return plan;
  }

  std::vector<TrialAction> actions(const Options& options, std::size_t) const override {
    if (options.text("who_toggles") == kNewRival) {
      return {{.what = ActionKind::start,
               .who = ActionTarget::rival,
               .at_s = options.real("on_s"),
               .for_s = options.real("off_s")}};
    }
    const bool by_rival = options.text("who_toggles") == kRival;
    return {{.what = ActionKind::disable,
             .who = by_rival ? ActionTarget::rival : ActionTarget::session,
             .at_s = options.real("on_s"),
             .for_s = options.real("off_s"),
             .every_s = options.real("on_s") + options.real("off_s"),
             .by = *enum_value<SwitchWay>(options.text("by"))}};
  }

  bool judges() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    answer.cannot = refused_actions(result);
    const Toggled seen = toggled_in(result);
    if (seen.switch_ns.empty()) {
      if (answer.cannot.empty()) return std::nullopt;
      answer.sentence = fmt::format("{}: the session could not be switched.", at_rate(result));
      return answer;
    }
    answer.figures = figures_of(seen);
    if (is_of_rival(result.trials.front())) {
      answer.sentence = fmt::format("{} {}.", at_rate(result), rival_words(seen));
      if (!seen.first_lost.empty()) answer.holds = most_of(seen.first_lost) == 0;
      return answer;
    }
    answer.sentence =
        fmt::format("{} is switched off and on again and again: {}{}{}.", at_rate(result),
                    call_words(seen), event_clauses(seen), command_clauses(seen));
    if (!seen.lost.empty()) answer.holds = most_of(seen.lost) == 0 && all_told(seen);
    return answer;
  }

 private:
  static constexpr const char* kRival = "rival";
  static constexpr const char* kNewRival = "new_rival";
};

}  // namespace

std::unique_ptr<const Scenario> make_toggle_scenario() {
  return std::make_unique<Toggle>();
}

}  // namespace tailgate
