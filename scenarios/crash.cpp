// Kills the program, the sink's daemons or both in full flight, or stops the program before it is
// killed, and counts the accepted events that are gone then.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/base/comma_list.h"
#include "harness/base/error.h"
#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// What is killed, by the word of the option `who`.
struct Victim {
  const char* word;
  const char* when;  // of the sentence
};
constexpr std::array kVictims = {
    Victim{"program", "when its program is killed"},
    Victim{"daemon", "when its daemon is killed"},
    Victim{"both", "when both are killed at once"},
    Victim{"stopped", "when its program is stopped, and killed later"},
};

std::vector<std::string> victims_of(const Options& options) {
  std::vector<std::string> known;
  for (const Victim& victim : kVictims) known.emplace_back(victim.word);
  const std::string& text = options.text("who");
  std::vector<std::string> chosen;
  for (std::string& word : comma_list(text)) {
    const bool twice = std::find(chosen.begin(), chosen.end(), word) != chosen.end();
    if (twice || std::find(known.begin(), known.end(), word) == known.end()) {
      throw Error(
          fmt::format("who = '{}' {} '{}'", text, twice ? "repeats" : "does not know", word),
          choice_remedy(word, known));
    }
    chosen.push_back(std::move(word));
  }
  return chosen;
}

// Which of these was killed in a trial; null: none. Also of actions that a preset lists.
const Victim* victim_of(const std::vector<ActionDone>& actions) {
  bool stopped = false;
  bool program = false;
  bool daemon = false;
  for (const ActionDone& action : actions) {
    // Where nothing can be stopped, a kill alone is another question.
    if (!action.refused.empty() && action.what == ActionKind::stop) return nullptr;
    if (!action.refused.empty()) continue;
    const bool is_program = action.who == ActionTarget::program;
    if (is_program && action.what != ActionKind::kill) stopped = action.what == ActionKind::stop;
    if (action.what != ActionKind::kill) continue;
    program = program || is_program;
    daemon = daemon || !is_program;
  }
  if (program && daemon) return &kVictims[2];
  if (program) return stopped ? &kVictims[3] : &kVictims[0];
  return daemon ? &kVictims[1] : nullptr;
}

// The trials in which the same was killed.
struct Killed {
  std::vector<double> gone;
  std::vector<double> gone_last;
  std::vector<double> gone_ns;
  std::uint64_t accepted_after = 0;
  std::uint64_t gone_after = 0;
  unsigned unread = 0;  // whose events could not be read back
};

Killed killed_of(const Result& result, const Victim& victim) {
  Killed killed;
  for (const Trial& trial : result.trials) {
    if (!trial.actions || victim_of(*trial.actions) != &victim) continue;
    if (!trial.survival) {
      ++killed.unread;
      continue;
    }
    const Survival& survival = *trial.survival;
    killed.gone.push_back(static_cast<double>(survival.gone));
    killed.gone_last.push_back(static_cast<double>(survival.gone_last));
    killed.gone_ns.push_back(static_cast<double>(survival.gone_ns));
    killed.accepted_after += survival.accepted_after;
    killed.gone_after += survival.gone_after;
  }
  return killed;
}

std::string loss_words(const Killed& killed) {
  const auto [least, most] = std::minmax_element(killed.gone_last.begin(), killed.gone_last.end());
  const auto [soonest, latest] = std::minmax_element(killed.gone_ns.begin(), killed.gone_ns.end());
  std::string text = "nothing";
  if (*most > 0) {
    text = fmt::format("the last {} ({})", event_words(*least, *most),
                       duration_range_words(*soonest, *latest));
  }
  double scattered = 0;
  for (std::size_t i = 0; i < killed.gone.size(); ++i) {
    scattered = std::max(scattered, killed.gone[i] - killed.gone_last[i]);
  }
  if (scattered > 0) text += fmt::format(" and up to {} before these", event_words(0, scattered));
  return text;
}

// "the last 3 to 29 events (0.3 to 2.9 ms) when its program is killed (5 trials)".
std::string clause(const Killed& killed, const Victim& victim) {
  const std::size_t trials = killed.gone.size();
  if (trials == 0) {
    return fmt::format("an unknown number of events {}: none could be read back then ({} trials)",
                       victim.when, killed.unread);
  }
  std::string text = fmt::format("{} {}", loss_words(killed), victim.when);
  if (killed.accepted_after > 0) {
    text += killed.gone_after == 0 ? ", and nothing of what is accepted afterwards"
                                   : fmt::format(", and {:.3g} % of what is accepted afterwards",
                                                 100 * static_cast<double>(killed.gone_after) /
                                                     static_cast<double>(killed.accepted_after));
  }
  text += fmt::format(" ({} {}", trials, trials == 1 ? "trial" : "trials");
  if (killed.unread > 0) text += fmt::format("; {} more could not be read back", killed.unread);
  return text + ")";
}

void add_figures(const Killed& killed, const std::string& victim, Answer& answer) {
  if (killed.gone.empty()) return;
  answer.figures.push_back(
      range_figure(victim + "_gone_events", killed.gone, "accepted events that were gone"));
  answer.figures.push_back(
      range_figure(victim + "_gone_ns", killed.gone_ns,
                   "time from the youngest event that was left to the last one accepted"));
  if (killed.accepted_after == 0) return;
  answer.figures.push_back(
      {.name = victim + "_gone_after_share",
       .value = static_cast<double>(killed.gone_after) / static_cast<double>(killed.accepted_after),
       .low = {},
       .high = {},
       .trials = static_cast<unsigned>(killed.gone.size()),
       .about = "share of the events accepted after the kill that were gone, "
                "of all trials together"});
}

// What the path costs with these settings: of the first step that has it.
std::string cost_words(const Result& result, Answer& answer) {
  for (const StepSummary& step : result.summary) {
    if (step.response.count < 1000) continue;
    answer.figures.push_back({.name = "response_p99_ns",
                              .value = static_cast<double>(step.response.p99_ns),
                              .low = {},
                              .high = {},
                              .trials = step.trials,
                              .about = "99th percentile of the response time up to the kill"});
    return fmt::format(" Of its calls 99 % return within {} of the time they are due.",
                       duration_words(static_cast<double>(step.response.p99_ns)));
  }
  return "";
}

std::vector<std::string> refusals_of(const Result& result) {
  std::vector<std::string> all;
  for (const Trial& trial : result.trials) {
    for (const ActionDone& action : trial.actions.value_or(std::vector<ActionDone>{})) {
      if (action.refused.empty()) continue;
      std::string text =
          fmt::format("{} {}: {}", enum_text(action.what), enum_text(action.who), action.refused);
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
    }
  }
  return all;
}

class Crash : public Scenario {
 public:
  std::string name() const override { return "crash"; }
  std::string description() const override {
    return "kills the program, the daemon or both in full flight: which accepted events are gone";
  }

  OptionTable options() const override {
    return with_defaults(
        with_load_options({
            {"rate_hz", OptionType::real, "10000", "events per second, all threads together", 0.001,
             1e9},
            {"who", OptionType::text, "program,daemon,both,stopped",
             "what is killed, in a step each: program, daemon, both; stopped: the program is "
             "stopped first"},
            {"kill_at_s", OptionType::real, "0.3", "seconds of recorded load before the kill", 0,
             3600},
            {"spread_s", OptionType::real, "0.3",
             "each trial draws its kill from so many seconds after that", 0, 3600},
            {"stopped_s", OptionType::real, "0.2", "stopped: seconds from the stop to the kill",
             0.001, 5},
        }),
        {{"trials", "5"}, {"duration_s", "1"}, {"warmup_s", "0.2"}});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (before.size() == victims_of(options).size()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    return plan;
  }

  std::size_t max_steps(const Options& options) const override {
    return victims_of(options).size();
  }

  // What an earlier step could not kill is not tried again.
  std::size_t trials(const Options& options, std::span<const StepOutcome> before) const override {
    const std::vector<std::string> victims = victims_of(options);
    const bool needs_daemon =
        before.size() < victims.size() &&
        (victims[before.size()] == "daemon" || victims[before.size()] == "both");
    for (const StepOutcome& step : before) {
      for (const StepTrial& trial : step.trials) {
        if (needs_daemon && trial.refused) return 1;
      }
    }
    return static_cast<std::size_t>(options.integer("trials"));
  }

  std::vector<TrialAction> actions(const Options& options, std::size_t step) const override {
    const std::string victim = victims_of(options).at(step);
    const double at_s = options.real("kill_at_s");
    const double spread_s = options.real("spread_s");
    const ActionTarget who = victim == "daemon" ? ActionTarget::daemon
                             : victim == "both" ? ActionTarget::both
                                                : ActionTarget::program;
    if (victim != "stopped") {
      return {{.what = ActionKind::kill, .who = who, .at_s = at_s, .spread_s = spread_s}};
    }
    const double stopped_s = options.real("stopped_s");
    return {{.what = ActionKind::stop, .who = who, .at_s = at_s},
            {.what = ActionKind::kill,
             .who = who,
             .at_s = at_s + stopped_s,
             .spread_s = std::max(0.0, spread_s - stopped_s)}};
  }

  bool judges() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    std::vector<std::string> clauses;
    for (const Victim& victim : kVictims) {
      const Killed killed = killed_of(result, victim);
      if (killed.gone.empty() && killed.unread == 0) continue;
      clauses.push_back(clause(killed, victim));
      add_figures(killed, victim.word, answer);
    }
    answer.cannot = refusals_of(result);
    if (clauses.empty() && answer.cannot.empty()) return std::nullopt;
    if (clauses.empty()) {
      answer.sentence = fmt::format("{}: nothing could be killed.", at_rate(result));
    } else {
      answer.sentence = fmt::format("{} loses {}.", at_rate(result), joined_words(clauses));
    }
    answer.sentence += cost_words(result, answer);
    return answer;
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_crash_scenario() {
  return std::make_unique<Crash>();
}

}  // namespace tailgate
