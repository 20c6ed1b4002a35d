// Fills a path that removes old events, or stops, at a cap: whether the cap holds at every moment,
// how much history is left, whether the newest events are all there, and what a call costs while
// old ones are removed. On request the session rotates its files under load, or its disk is full
// for a while.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "harness/base/error.h"
#include "harness/run/scenario.h"
#include "scenarios/words.h"

namespace tailgate {
namespace {

// What else may be in a trial's folder: logs and counts of the trial's own processes.
constexpr double kOtherBytes = 32 * 1024;

// The cap that the sink says it was given; nothing: it has none.
std::optional<double> cap_of(const Trial& trial) {
  for (const Setting& setting : trial.granted) {
    double bytes = 0;
    const char* const end = setting.value.data() + setting.value.size();
    if (setting.name == "cap_bytes" &&
        std::from_chars(setting.value.data(), end, bytes).ec == std::errc() && bytes > 0) {
      return bytes;
    }
  }
  return std::nullopt;
}

double most_stored_bytes(const Trial& trial) {
  std::uint64_t most = 0;
  for (const StorageLook& look : trial.storage->kept) most = std::max(most, look.most_bytes);
  return static_cast<double>(most);
}

// The times at which files were removed: between two looks there are fewer bytes.
std::vector<std::pair<std::uint64_t, std::uint64_t>> removals_of(const Trial& trial) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> removals;
  const std::vector<StorageLook>& looks = trial.storage->kept;
  for (std::size_t i = 1; i < looks.size(); ++i) {
    if (looks[i].bytes < looks[i - 1].bytes || looks[i].most_bytes > looks[i].bytes) {
      removals.emplace_back(looks[i - 1].at_ns, looks[i].at_ns);
    }
  }
  return removals;
}

// The longest response time of each interval, of those in which files were removed and of others.
struct SlowestCalls {
  std::vector<double> at_removal_ns;
  std::vector<double> elsewhere_ns;
};

void add_slowest_calls(const Trial& trial, SlowestCalls& slowest) {
  const auto removals = removals_of(trial);
  for (const Interval& interval : trial.intervals) {
    if (interval.response.count == 0) continue;
    const bool removed = std::any_of(removals.begin(), removals.end(), [&](const auto& removal) {
      return removal.second > interval.start_ns && removal.first < interval.end_ns;
    });
    (removed ? slowest.at_removal_ns : slowest.elsewhere_ns)
        .push_back(static_cast<double>(interval.response.max_ns));
  }
}

double actions_of(const Trial& trial, ActionKind what) {
  double done = 0;
  for (const ActionDone& action : trial.actions.value_or(std::vector<ActionDone>{})) {
    if (action.what == what && action.refused.empty()) ++done;
  }
  return done;
}

std::uint64_t refused_by_call(const Trial& trial) {
  std::uint64_t events = 0;
  for (const LossCount& loss : trial.ledger.losses) {
    if (loss.reported_by == "call") events += loss.events;
  }
  return events;
}

// What all trials showed.
struct Retained {
  std::optional<double> cap_bytes;
  std::vector<double> most;
  std::vector<double> kept;
  std::vector<double> gone_newest;
  std::vector<double> gone_between;
  std::vector<double> history_ns;
  std::vector<double> refused_share;
  std::vector<double> missing;    // accepted events that were not read back …
  std::vector<double> uncounted;  // … and of which no count says so
  std::vector<double> refused;
  std::vector<double> counted;
  std::vector<double> rotations;
  std::vector<double> fills;
  std::map<std::string, double> causes;  // of what was refused or lost, over all trials
  bool room_left = false;  // more was accepted than twice the cap, and not half of it is used
  std::uint64_t looks = 0;
  SlowestCalls slowest;
};

// What became of events, apart from those that are left.
void add_missing(const Trial& trial, double event_bytes, Retained& seen) {
  const auto accepted = static_cast<double>(trial.kept_events->accepted);
  const auto refused = static_cast<double>(refused_by_call(trial));
  double counted = 0;
  for (const LossCount& loss : trial.ledger.losses) {
    seen.causes[loss.cause] += static_cast<double>(loss.events);
    if (loss.reported_by != "call") counted += static_cast<double>(loss.events);
  }
  seen.missing.push_back(accepted - static_cast<double>(trial.kept_events->kept));
  seen.uncounted.push_back(static_cast<double>(trial.ledger.unaccounted));
  seen.refused.push_back(refused);
  seen.counted.push_back(counted);
  seen.refused_share.push_back(
      refused / static_cast<double>(std::max<std::uint64_t>(1, trial.ledger.emitted)));
  seen.rotations.push_back(actions_of(trial, ActionKind::rotate));
  seen.fills.push_back(actions_of(trial, ActionKind::fill));
  if (seen.cap_bytes) {
    const double written = accepted * event_bytes;
    seen.room_left = seen.room_left || (written >= 2 * *seen.cap_bytes &&
                                        most_stored_bytes(trial) < *seen.cap_bytes / 2);
  }
}

// event_bytes: of each event.
Retained retained_in(const Result& result, double event_bytes) {
  Retained seen;
  for (const Trial& trial : result.trials) {
    if (trial.outcome != TrialOutcome::completed || !trial.storage || !trial.kept_events) continue;
    const KeptEvents& events = *trial.kept_events;
    seen.cap_bytes = cap_of(trial);
    seen.most.push_back(most_stored_bytes(trial));
    seen.looks += trial.storage->looks;
    seen.kept.push_back(static_cast<double>(events.kept));
    seen.gone_newest.push_back(static_cast<double>(events.gone_newest));
    seen.gone_between.push_back(static_cast<double>(events.gone_between));
    seen.history_ns.push_back(static_cast<double>(events.history_ns));
    add_missing(trial, event_bytes, seen);
    add_slowest_calls(trial, seen.slowest);
  }
  return seen;
}

double highest_of(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}
double lowest_of(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

bool keeps_cap(const Retained& seen) {
  return highest_of(seen.most) <= *seen.cap_bytes + kOtherBytes;
}

std::string cap_size_words(double bytes) {
  constexpr double kKibi = 1024;
  if (bytes >= kKibi * kKibi) return fmt::format("{:.3g} MiB", bytes / kKibi / kKibi);
  return bytes >= kKibi ? fmt::format("{:.3g} KiB", bytes / kKibi)
                        : fmt::format("{:.0f} bytes", bytes);
}

std::string cap_words(const Retained& seen) {
  const std::string most = cap_size_words(highest_of(seen.most));
  if (!seen.cap_bytes) {
    return fmt::format("names no cap of its files (at most {} in {} looks)", most, seen.looks);
  }
  const std::string cap = cap_size_words(*seen.cap_bytes);
  if (keeps_cap(seen)) {
    return fmt::format("keeps its cap of {} (at most {} in {} looks)", cap, most, seen.looks);
  }
  return fmt::format("exceeds its cap of {}: {} at most, in {} looks", cap, most, seen.looks);
}

std::string event_loss_words(const Retained& seen) {
  std::vector<std::string> texts;
  if (highest_of(seen.gone_newest) > 0) {
    texts.push_back(
        fmt::format("the newest {} are missing",
                    event_words(lowest_of(seen.gone_newest), highest_of(seen.gone_newest))));
  }
  if (highest_of(seen.gone_between) > 0) {
    texts.push_back(
        fmt::format("{} between them are missing",
                    event_words(lowest_of(seen.gone_between), highest_of(seen.gone_between))));
  }
  return texts.empty() ? "and none of the newest is missing" : "but " + joined_words(texts);
}

std::string history_words(const Retained& seen) {
  if (highest_of(seen.refused_share) > 0 && highest_of(seen.fills) == 0) {
    return fmt::format(
        "It stops taking events: {:.3g} % of the calls are refused. Of those that it "
        "accepted {} are left, {}",
        100 * highest_of(seen.refused_share),
        event_words(lowest_of(seen.kept), highest_of(seen.kept)), event_loss_words(seen));
  }
  return fmt::format("What is left goes back {} ({}), {}",
                     duration_range_words(lowest_of(seen.history_ns), highest_of(seen.history_ns)),
                     event_words(lowest_of(seen.kept), highest_of(seen.kept)),
                     event_loss_words(seen));
}

std::string slowest_words(const SlowestCalls& slowest, Answer& answer) {
  if (slowest.at_removal_ns.empty() || slowest.elsewhere_ns.empty()) return "";
  const AnswerFigure at = range_figure("removal_response_max_ns", slowest.at_removal_ns,
                                       "longest response of an interval in which files went");
  const AnswerFigure elsewhere = range_figure("elsewhere_response_max_ns", slowest.elsewhere_ns,
                                              "longest response of another interval");
  answer.figures.insert(answer.figures.end(), {at, elsewhere});
  return fmt::format(
      " The longest call of an interval in which files are removed takes {}, of "
      "another one {} (medians).",
      duration_words(at.value), duration_words(elsewhere.value));
}

// What a path without a cap keeps, or one whose disk was full: all but what was refused or counted.
std::string kept_words(const Retained& seen) {
  const double uncounted = highest_of(seen.uncounted);
  const std::string kept = event_words(lowest_of(seen.kept), highest_of(seen.kept));
  if (highest_of(seen.missing) == 0) return fmt::format("All {} that it accepted are left", kept);
  std::vector<std::string> causes;
  for (const auto& [cause, events] : seen.causes) {
    if (events > 0) causes.push_back(cause);
  }
  const std::string missing = event_words(lowest_of(seen.missing), highest_of(seen.missing));
  return fmt::format("{} are left and {} that it accepted are missing; {}", kept, missing,
                     uncounted == 0 ? fmt::format("the counts say why ({})", joined_words(causes))
                                    : fmt::format("no count tells of {}",
                                                  event_words(lowest_of(seen.uncounted),
                                                              highest_of(seen.uncounted))));
}

// What was done to the files under load, and whether that cost events.
std::string storage_words(const Retained& seen, Answer& answer) {
  std::string words;
  if (highest_of(seen.rotations) > 0) {
    answer.figures.push_back(range_figure("rotations", seen.rotations,
                                          "times that the session rotated its files under load"));
    words +=
        fmt::format(" Its files were rotated {:.0f} times meanwhile.", highest_of(seen.rotations));
  }
  if (highest_of(seen.fills) > 0) {
    answer.figures.push_back(
        range_figure("refused_events", seen.refused, "calls refused, of the whole load"));
    answer.figures.push_back(range_figure("counted_events", seen.counted,
                                          "accepted events that the sink counts as lost"));
    words +=
        fmt::format(" Its disk was full for a while: {} were refused, {} were accepted and lost.",
                    event_words(lowest_of(seen.refused), highest_of(seen.refused)),
                    event_words(lowest_of(seen.missing), highest_of(seen.missing)));
  }
  return words;
}

// Nothing may be missing behind the oldest that is left; where the disk was full, without a count.
bool keeps_events(const Retained& seen) {
  if (highest_of(seen.fills) > 0) return highest_of(seen.uncounted) == 0;
  if (!seen.cap_bytes) return highest_of(seen.missing) == 0;
  return highest_of(seen.gone_newest) == 0 && highest_of(seen.gone_between) == 0;
}

void add_retention_figures(const Retained& seen, Answer& answer) {
  if (seen.cap_bytes) {
    answer.figures.push_back({.name = "cap_bytes",
                              .value = *seen.cap_bytes,
                              .low = {},
                              .high = {},
                              .trials = static_cast<unsigned>(seen.most.size()),
                              .about = "the cap that the sink was given"});
  }
  answer.figures.push_back(
      range_figure("most_bytes", seen.most, "the most that the trial's files had at any look"));
  answer.figures.push_back(range_figure("kept_events", seen.kept, "events that are left"));
  answer.figures.push_back(
      range_figure("history_ns", seen.history_ns, "from the oldest event that is left to the end"));
  answer.figures.push_back(range_figure("gone_newest_events", seen.gone_newest,
                                        "accepted events after the newest that is left"));
  answer.figures.push_back(range_figure("gone_between_events", seen.gone_between,
                                        "missing events between the oldest and the newest left"));
  answer.figures.push_back(
      range_figure("uncounted_events", seen.uncounted,
                   "accepted events that are missing, and that no count of the sink tells of"));
  answer.figures.push_back(
      range_figure("refused_share", seen.refused_share, "share of the calls that were refused"));
}

class Retention : public Scenario {
 public:
  std::string name() const override { return "retention"; }
  std::string description() const override {
    return "a path with a cap, filled several times: does the cap hold, and what is left";
  }

  OptionTable options() const override {
    return without_options(
        with_defaults(
            with_load_options({
                {"rate_hz", OptionType::real, "10000", "events per second, all threads together",
                 0.001, 1e9},
                {"fill_bytes", OptionType::integer, "16Mi",
                 "what all events have together: several times the cap of the sink's options", 1024,
                 1e12},
                {"rotate_every_s", OptionType::real, "0",
                 "the session rotates its files again and again, after so long (0: never)", 0,
                 86400},
                {"full_at_s", OptionType::real, "0.2",
                 "with full_for_s: when the disk of the sink's option disk_bytes gets full", 0,
                 86400},
                {"full_for_s", OptionType::real, "0",
                 "that disk is full for so long (0: it is not filled)", 0, 86400},
            }),
            {{"warmup_s", "0"}}),
        {"events", "duration_s"});
  }

  std::optional<LoadPlan> next_step(const Options& options,
                                    std::span<const StepOutcome> before) const override {
    if (!before.empty()) return std::nullopt;
    LoadPlan plan = load_from(options);
    plan.shape = Shape::steady;
    plan.rate_hz = options.real("rate_hz");
    const double events =
        std::floor(static_cast<double>(options.integer("fill_bytes")) / plan.payload.first);
    if (actions(options, 0).empty()) {
      plan.events = static_cast<std::uint64_t>(events);
    } else {
      plan.duration_s = events / plan.rate_hz;
    }
    return plan;
  }

  std::vector<TrialAction> actions(const Options& options, std::size_t) const override {
    std::vector<TrialAction> actions;
    if (const double every_s = options.real("rotate_every_s"); every_s > 0) {
      actions.push_back({.what = ActionKind::rotate,
                         .who = ActionTarget::session,
                         .at_s = every_s,
                         .every_s = every_s});
    }
    if (const double for_s = options.real("full_for_s"); for_s > 0) {
      actions.push_back({.what = ActionKind::fill,
                         .who = ActionTarget::session,
                         .at_s = options.real("full_at_s"),
                         .for_s = for_s});
    }
    return actions;
  }

  bool asks_for_storage() const override { return true; }

  std::optional<Answer> answer(const Result& result) const override {
    if (result.scenario.name != name()) return std::nullopt;
    Answer answer{.question = name(), .sentence = "", .holds = {}, .figures = {}, .cannot = {}};
    if (!result.sink.read_back && !result.sink.live_read) {
      answer.cannot.push_back("be read back: nobody knows what is left");
      answer.sentence = fmt::format("{} cannot be read back.", at_rate(result));
      return answer;
    }
    const Retained seen =
        retained_in(result, load_from(given_options(*this, result)).payload.first);
    if (seen.most.empty()) return std::nullopt;
    add_retention_figures(seen, answer);
    const bool keeps_all = !seen.cap_bytes || highest_of(seen.fills) > 0;
    answer.sentence = fmt::format("{} {}. {}.", at_rate(result), cap_words(seen),
                                  keeps_all ? kept_words(seen) : history_words(seen));
    answer.sentence += storage_words(seen, answer);
    answer.sentence += slowest_words(seen.slowest, answer);
    answer.cannot = refused_actions(result);
    judge(seen, answer);
    return answer;
  }

 private:
  static void judge(const Retained& seen, Answer& answer) {
    const bool acted = highest_of(seen.fills) > 0 || highest_of(seen.rotations) > 0;
    if (!seen.cap_bytes) {
      answer.cannot.push_back("name the cap of its files: these options set none");
      if (acted) answer.holds = keeps_events(seen);
      return;
    }
    answer.holds = keeps_cap(seen) && keeps_events(seen);
    if (highest_of(seen.most) >= *seen.cap_bytes / 2 || acted) return;
    if (seen.room_left) {
      answer.holds = false;
      answer.sentence += " It removes events long before its cap is full.";
    } else {
      answer.sentence += " The load did not fill the cap: raise fill_bytes.";
      answer.holds.reset();
    }
  }
};

}  // namespace

std::unique_ptr<const Scenario> make_retention_scenario() {
  return std::make_unique<Retention>();
}

}  // namespace tailgate
