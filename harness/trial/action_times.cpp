#include "harness/trial/action_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "harness/base/error.h"
#include "harness/base/require.h"

namespace tailgate {
namespace {

constexpr std::size_t kMostActions = 1000;

std::uint64_t ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

// That time, or the load's start if it would be before the clock's own.
std::uint64_t time_after(std::uint64_t start_ns, double seconds) {
  return seconds < 0 ? start_ns - std::min(start_ns, ns(-seconds)) : start_ns + ns(seconds);
}

// How often it is done in a load of that length.
double times_of(const TrialAction& action, double load_s) {
  if (action.every_s <= 0 || !action.at_s) return 1;
  return std::floor((load_s - *action.at_s) / action.every_s) + 1;
}

// A provider of a load by events would not know when to end.
void check_further(const TrialAction& action, const LoadPlan& load) {
  const std::string what =
      fmt::format("the action '{}' of {}", enum_text(action.what), enum_text(action.who));
  const bool can = action.who == ActionTarget::program || action.who == ActionTarget::consumer ||
                   action.who == ActionTarget::rival;
  require(can, what + " cannot be done", "start a program, a consumer or a rival");
  require(load.duration_s > 0, what + " needs a load with a duration",
          "set duration_s and leave events = 0");
  require(load.shape != Shape::ramp, what + " needs a load whose rate stays the same",
          "choose another shape");
  require(load.sessions == 1, what + " needs a load with one session", "set sessions=1");
}

// Signals are for processes, all else is for sessions; a rival's is only disabled and enabled.
void check_target(const TrialAction& action, const LoadPlan& load) {
  const std::string name(enum_text(action.what));
  const std::string who(enum_text(action.who));
  const bool of_rival = action.who == ActionTarget::rival;
  const bool of_session = action.who == ActionTarget::session || of_rival;
  if (is_of_further(action.what)) return check_further(action, load);
  require(is_of_session(action.what) == of_session && (!of_rival || is_switch(action.what)),
          fmt::format("the action '{}' cannot be done to {}", name, who),
          of_rival     ? "disable or enable a rival's session"
          : of_session ? "disable, enable, rotate, fill or free the session"
                       : "kill, stop or continue processes; all else is for the session");
  require(!of_rival || (load.sessions > 1 && load.own_sessions == 0),
          fmt::format("the action '{}' is for a rival's session, and there is none", name),
          "give the provider a second session");
  require(action.who != ActionTarget::consumer || action.what != ActionKind::kill,
          "a killed consumer can read nothing back", "stop it");
}

void check_action(const TrialAction& action, const LoadPlan& load) {
  const std::string name(enum_text(action.what));
  const bool ends = end_of(action.what) != action.what;
  check_target(action, load);
  require(action.at_s.has_value() != action.at_event.has_value(),
          fmt::format("the action '{}' does not say when it begins", name),
          "give exactly one of at_s and at_event");
  require(ends || action.for_s == 0,
          fmt::format("the action '{}' has for_s = {}", name, action.for_s),
          "only stop, disable, fill and start end after a time");
  require(!action.at_s || *action.at_s >= -load.warmup_s,
          fmt::format("the action '{}' begins at {} s, before the warm-up of {} s", name,
                      action.at_s.value_or(0), load.warmup_s),
          "let it begin later, or set a longer warmup_s");
  require(action.at_s.has_value() || (action.spread_s == 0 && action.every_s == 0),
          fmt::format("the action '{}' has at_event with spread_s or every_s", name),
          "begin it at_s seconds after recording starts");
  require(action.every_s == 0 || !ends || action.for_s < action.every_s,
          fmt::format("for_s = {} is not shorter than every_s = {}", action.for_s, action.every_s),
          "let it end before it is done again");
  const bool outlasts =
      load.duration_s > 0 && action.at_s && *action.at_s + action.spread_s >= load.duration_s;
  require(!outlasts,
          fmt::format("the action '{}' may begin at {} s, when the load of {} s has ended", name,
                      action.at_s.value_or(0) + action.spread_s, load.duration_s),
          "let it begin earlier, or set a longer duration_s");
}

}  // namespace

std::uint32_t most_started(const std::vector<TrialAction>& actions, const LoadPlan& load,
                           ActionTarget who) {
  double started = 0;
  for (const TrialAction& action : actions) {
    if (action.what != ActionKind::start || action.who != who) continue;
    started += times_of(action, load.duration_s);
  }
  return static_cast<std::uint32_t>(std::clamp(started, 0.0, 2.0 * kMostActions));
}

namespace {

void require_further_limit(const std::vector<TrialAction>& actions, const LoadPlan& load) {
  const std::uint32_t consumers = most_started(actions, load, ActionTarget::consumer);
  const std::uint32_t programs = most_started(actions, load, ActionTarget::program);
  const std::uint32_t rivals = most_started(actions, load, ActionTarget::rival);
  require(consumers + rivals <= kMaxFurtherConsumers,
          fmt::format("{} further consumers and sessions are started", consumers + rivals),
          fmt::format("start at most {}", kMaxFurtherConsumers));
  require(rivals <= 1, fmt::format("a rival starts {} sessions", rivals), "let it start one");
  require(load.processes + programs <= kMaxProcesses,
          fmt::format("{} further programs are started", programs),
          fmt::format("have at most {} of all", kMaxProcesses));
}

}  // namespace

void check_actions(const std::vector<TrialAction>& actions, const LoadPlan& load) {
  double times = 0;
  for (const TrialAction& action : actions) {
    check_action(action, load);
    times += times_of(action, load.duration_s);
    require_further_limit(actions, load);
    require(action.every_s == 0 || load.duration_s > 0,
            "an action that repeats needs a load with a duration",
            "set duration_s and leave events = 0");
  }
  require(times <= kMostActions, fmt::format("the actions are done {:.0f} times", times),
          fmt::format("repeat them at most {} times", kMostActions));
}

std::uint32_t most_switches(const std::vector<TrialAction>& actions, const LoadPlan& load) {
  double switches = 0;
  for (const TrialAction& action : actions) {
    if (!is_switch(action.what) || action.who == ActionTarget::rival) continue;
    switches += times_of(action, load.duration_s) * (action.for_s > 0 ? 2 : 1);
  }
  return static_cast<std::uint32_t>(std::clamp(switches, 0.0, 2.0 * kMostActions));
}

ActionTimes::ActionTimes(const std::vector<TrialAction>& actions, const LoadPlan& load,
                         std::uint64_t record_start_ns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t end_ns = record_start_ns + ns(load.duration_s);
  for (const TrialAction& action : actions) {
    if (!action.at_s) {
      at_events_.push_back(action);
      continue;
    }
    const double later_s = std::uniform_real_distribution<double>(0, 1)(random) * action.spread_s;
    std::uint64_t at_ns = time_after(record_start_ns, *action.at_s + later_s);
    do {
      add_with_end(at_ns, action);
      at_ns += ns(action.every_s);
    } while (action.every_s > 0 && at_ns < end_ns);
  }
}

void ActionTimes::add(std::uint64_t at_ns, const DueAction& action) {
  const auto place = std::find_if(timed_.begin(), timed_.end(),
                                  [&](const Timed& other) { return other.at_ns <= at_ns; });
  timed_.insert(place, {at_ns, action});
}

void ActionTimes::add_with_end(std::uint64_t at_ns, const TrialAction& action) {
  add(at_ns, {action.what, action.who, action.by});
  if (action.for_s <= 0) return;
  add(at_ns + ns(action.for_s), {end_of(action.what), action.who, action.by});
}

std::optional<DueAction> ActionTimes::take(std::uint64_t now_ns, std::uint64_t events) {
  const auto due =
      std::find_if(at_events_.begin(), at_events_.end(),
                   [&](const TrialAction& action) { return *action.at_event <= events; });
  if (due != at_events_.end()) {
    add_with_end(now_ns, *due);
    at_events_.erase(due);
  }
  if (timed_.empty() || timed_.back().at_ns > now_ns) return std::nullopt;
  const DueAction action = timed_.back().action;
  timed_.pop_back();
  return action;
}

std::optional<std::uint64_t> ActionTimes::next_ns() const {
  if (timed_.empty()) return std::nullopt;
  return timed_.back().at_ns;
}

}  // namespace tailgate
