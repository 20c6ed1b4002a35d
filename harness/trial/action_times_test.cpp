#include "harness/trial/action_times.h"

#include <catch2/catch.hpp>

#include <set>

#include "harness/base/error.h"

namespace tailgate {
namespace {

constexpr std::uint64_t kStartNs = 5'000'000'000;

LoadPlan load_of(double duration_s) {
  LoadPlan load;
  load.duration_s = duration_s;
  return load;
}

// Everything that is done, as "what@ms", in order; asked every millisecond.
std::vector<std::string> all_of(const std::vector<TrialAction>& actions, double duration_s,
                                std::uint64_t seed = 1) {
  ActionTimes times(actions, load_of(duration_s), kStartNs, seed);
  std::vector<std::string> all;
  for (std::uint64_t ms = 0; ms < 10'000; ++ms) {
    while (const auto due = times.take(kStartNs + ms * 1'000'000, ms)) {
      all.push_back(std::string(enum_text(due->what)) + "@" + std::to_string(ms));
    }
  }
  CHECK_FALSE(times.next_ns());
  return all;
}

TEST_CASE("a stop that repeats is continued each time, until the load ends") {
  CHECK(all_of({{.what = ActionKind::stop, .at_s = 0.1, .for_s = 0.25, .every_s = 0.5}}, 1.2) ==
        std::vector<std::string>{"stop@100", "continue@350", "stop@600", "continue@850",
                                 "stop@1100", "continue@1350"});
}

TEST_CASE("a session that is disabled for a time is enabled again, and both are switches") {
  const TrialAction toggle = {.what = ActionKind::disable,
                              .who = ActionTarget::session,
                              .at_s = 0.1,
                              .for_s = 0.25,
                              .every_s = 0.5,
                              .by = SwitchWay::level};
  CHECK(all_of({toggle}, 1) ==
        std::vector<std::string>{"disable@100", "enable@350", "disable@600", "enable@850"});
  CHECK(most_switches({toggle}, load_of(1)) == 4);
  CHECK(most_switches({{.what = ActionKind::stop, .at_s = 0.1}}, load_of(1)) == 0);
  ActionTimes times({toggle}, load_of(1), kStartNs, 1);
  CHECK(times.take(kStartNs + 200'000'000, 0)->by == SwitchWay::level);
  CHECK(times.take(kStartNs + 400'000'000, 0)->by == SwitchWay::level);
}

TEST_CASE("a disk that is filled gets room again, and rotations repeat") {
  CHECK(
      all_of(
          {{.what = ActionKind::fill, .who = ActionTarget::session, .at_s = 0.1, .for_s = 0.25},
           {.what = ActionKind::rotate, .who = ActionTarget::session, .at_s = 0.2, .every_s = 0.4}},
          1) == std::vector<std::string>{"fill@100", "rotate@200", "free@350", "rotate@600"});
  CHECK(most_switches({{.what = ActionKind::fill, .who = ActionTarget::session, .at_s = 0.1}},
                      load_of(1)) == 0);
}

TEST_CASE("an action may begin within the warm-up") {
  const TrialAction early = {
      .what = ActionKind::disable, .who = ActionTarget::session, .at_s = -0.5};
  LoadPlan load = load_of(1);
  load.warmup_s = 0.5;
  CHECK_NOTHROW(check_actions({early}, load));
  load.warmup_s = 0.4;
  CHECK_THROWS_WITH(check_actions({early}, load), Catch::Contains("before the warm-up"));
  ActionTimes times({early}, load_of(1), kStartNs, 1);
  CHECK(times.next_ns() == kStartNs - 500'000'000);
}

TEST_CASE("actions are done in the order of their times, those of one time as they are listed") {
  CHECK(all_of({{.what = ActionKind::kill, .at_s = 0.5},
                {.what = ActionKind::stop, .at_s = 0.2},
                {.what = ActionKind::resume, .at_s = 0.5}},
               1) == std::vector<std::string>{"stop@200", "kill@500", "continue@500"});
}

TEST_CASE("an action at an event is due once so many calls have returned") {
  // all_of counts a call a millisecond.
  CHECK(all_of({{.what = ActionKind::stop, .at_event = 700, .for_s = 0.1},
                {.what = ActionKind::kill, .at_s = 0.75}},
               1) == std::vector<std::string>{"stop@700", "kill@750", "continue@800"});
}

TEST_CASE("each trial draws its own time from the spread") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto all = all_of({{.at_s = 0.1, .spread_s = 0.05}}, 1, seed);
    REQUIRE(all.size() == 1);
    const int ms = std::stoi(all.front().substr(5));
    CHECK(ms >= 100);
    CHECK(ms <= 151);
    seen.insert(all.front());
  }
  CHECK(seen.size() > 30);  // of 51
}

TEST_CASE("actions that cannot be are refused with what to do") {
  const auto refused = [](const TrialAction& action, const LoadPlan& load,
                          const std::string& words) {
    INFO(words);
    CHECK_THROWS_WITH(check_actions({action}, load), Catch::Contains(words));
  };
  refused({}, load_of(1), "does not say when");
  refused({.at_s = 0.1, .at_event = 5}, load_of(1), "does not say when");
  refused({.what = ActionKind::kill, .at_s = 0.1, .for_s = 1}, load_of(1), "for_s = 1");
  refused({.at_event = 5, .spread_s = 1}, load_of(1), "at_event with");
  refused({.what = ActionKind::stop, .at_s = 0, .for_s = 1, .every_s = 1}, load_of(9), "shorter");
  refused({.at_s = 0.9, .spread_s = 0.2}, load_of(1), "has ended");
  refused({.at_s = 0, .every_s = 1e-4}, load_of(1), "times");
  refused({.what = ActionKind::disable, .at_s = 0}, load_of(1), "cannot be done to program");
  refused({.what = ActionKind::disable, .who = ActionTarget::rival, .at_s = 0}, load_of(1),
          "there is none");
  refused({.what = ActionKind::start, .who = ActionTarget::daemon, .at_s = 0}, load_of(1),
          "'start' of daemon cannot be done");
  refused({.what = ActionKind::stop, .who = ActionTarget::session, .at_s = 0}, load_of(1),
          "cannot be done to session");
  refused({.what = ActionKind::kill, .who = ActionTarget::consumer, .at_s = 0}, load_of(1),
          "read nothing back");
  LoadPlan by_events = load_of(0);
  by_events.events = 100;
  refused({.at_s = 0, .every_s = 1}, by_events, "needs a load with a duration");
  CHECK_NOTHROW(check_actions({{.at_s = 0.5}}, by_events));
}

}  // namespace
}  // namespace tailgate
