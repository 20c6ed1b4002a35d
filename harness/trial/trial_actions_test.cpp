// Trials whose processes are killed and stopped on purpose, on sinks that lose a known number of
// events then.
#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/os/affinity.h"
#include "harness/trial/action_times.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/testing/sinks.h"

namespace tailgate {
namespace {

Trial run(const std::string& sink, const std::vector<TrialAction>& actions, unsigned threads = 1,
          WantedConsumer consumer = {}, double duration_s = 0.6) {
  static const ClockParameters clock = measure_clock();
  TrialSettings settings;
  settings.clock = clock;
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  settings.actions = actions;
  settings.consumer = consumer;
  LoadPlan load;
  load.rate_hz = 5'000;
  load.duration_s = duration_s;
  load.warmup_s = 0;
  load.threads = threads;
  check_actions(actions, load);
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

const TrialAction kKill = {.what = ActionKind::kill, .at_s = 0.2};

void check_went_as_planned(const Trial& trial) {
  INFO(trial.outcome << ": " << trial.outcome_detail);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.emitted == trial.ledger.delivered + trial.ledger.lost);
}

TEST_CASE("a killed program takes exactly the events along that it kept back") {
  const unsigned threads = GENERATE(1u, 3u);
  const Trial trial = run("synthetic:kill_loses_events=50", {kKill}, threads);
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK(trial.actions->front().process == "provider");
  CHECK(trial.actions->front().refused.empty());
  REQUIRE(trial.survival);
  // One fewer in each thread whose call had just stored its oldest event.
  CHECK(trial.survival->gone <= 50 * threads);
  CHECK(trial.survival->gone >= 49 * threads);
  CHECK(trial.survival->gone_last == trial.survival->gone);
  CHECK(trial.survival->gone_ns > 0);
  CHECK(trial.ledger.lost == trial.survival->gone);
  REQUIRE(trial.ledger.losses.size() == 1);
  CHECK(trial.ledger.losses.front().cause == "killed");
  CHECK(trial.ledger.losses.front().reported_by == "scenario");
  CHECK(trial.survival->accepted == trial.ledger.emitted - trial.ledger.delivered_in_flight);
  CHECK(trial.survival->accepted_after == 0);
  // That the load was late, and that events were lost, was planned.
  for (const Remark& remark : trial.remarks) {
    CHECK_THAT(remark.what, !Catch::Contains("were lost") && !Catch::Contains("the load took"));
  }
}

TEST_CASE("events that a sink refuses are a remark, although its program is killed later") {
  const Trial trial = run("synthetic:refuse_every=100", {kKill});
  check_went_as_planned(trial);
  CHECK(std::any_of(trial.remarks.begin(), trial.remarks.end(), [](const Remark& remark) {
    return remark.what.find("were lost: planted") != std::string::npos;
  }));
}

TEST_CASE("a sink whose events survive a kill loses none") {
  const Trial trial = run("synthetic", {kKill});
  check_went_as_planned(trial);
  REQUIRE(trial.survival);
  CHECK(trial.survival->accepted > 0);
  CHECK(trial.survival->gone == 0);
  CHECK(trial.survival->gone_ns == 0);
  CHECK(trial.ledger.lost == 0);
}

TEST_CASE("a kill excuses no event that was lost before it") {
  const Trial trial = run("synthetic:kill_loses_events=20:hide_every=100", {kKill});
  CHECK(trial.outcome == TrialOutcome::completed);
  REQUIRE(trial.survival);
  CHECK(trial.ledger.unaccounted > 0);
  CHECK(trial.survival->gone ==
        trial.survival->gone_last + static_cast<std::uint64_t>(trial.ledger.unaccounted));
}

TEST_CASE("a kill at an event comes after that event") {
  const Trial trial =
      run("synthetic:kill_loses_events=10", {{.what = ActionKind::kill, .at_event = 700}});
  check_went_as_planned(trial);
  REQUIRE(trial.survival);
  CHECK(trial.survival->accepted >= 700);
  CHECK(trial.survival->accepted < 3'000);
  CHECK(trial.actions->at(0).event >= 700);
}

TEST_CASE("what the sink has not got is not killed, and the trial goes on") {
  const Trial trial = run("synthetic", {{.who = ActionTarget::both, .at_s = 0.2}});
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK(trial.actions->front().refused == "the sink has no process of its own");
  CHECK_FALSE(trial.survival);
  CHECK(trial.measured == 3'000);
}

TEST_CASE("a daemon that has no events takes none along, and the program goes on") {
  const SinkChoice sink = sink_choice("synthetic:plant_daemon=true");
  if (!sink.type->probe(sink.options).available) return;
  const Trial trial = run(sink.text, {{.who = ActionTarget::daemon, .at_s = 0.2}});
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK(trial.actions->front().process == "planted");
  REQUIRE(trial.survival);
  CHECK(trial.survival->gone == 0);
  CHECK(trial.survival->accepted_after > 0);
  CHECK(trial.survival->accepted + trial.survival->accepted_after == 3'000);
  CHECK(trial.survival->gone_after == 0);
}

TEST_CASE("a program that is stopped again and again goes on, and its calls wait") {
  const Trial trial =
      run("synthetic", {{.what = ActionKind::stop, .at_s = 0.1, .for_s = 0.1, .every_s = 0.2}});
  if (trial.actions && !trial.actions->empty() && !trial.actions->front().refused.empty()) return;
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  CHECK(trial.actions->size() == 6);
  CHECK_FALSE(trial.survival);
  // What is due in a stop is emitted after it, and waited for the rest of the stop.
  std::uint64_t longest_ns = 0;
  for (std::size_t i = 0; i < trial.actions->size(); i += 2) {
    REQUIRE(trial.actions->at(i).what == ActionKind::stop);
    REQUIRE(trial.actions->at(i + 1).what == ActionKind::resume);
    longest_ns = std::max(longest_ns, trial.actions->at(i + 1).at_ns - trial.actions->at(i).at_ns);
  }
  CHECK(trial.response.max_ns >= longest_ns / 10 * 9);
  CHECK(trial.measured == 3'000);
}

TEST_CASE("events of a disabled session are not meant to be recorded, by every thread") {
  const unsigned threads = GENERATE(1u, 3u);
  const ConsumerMode mode = GENERATE(ConsumerMode::live, ConsumerMode::after);
  const Trial trial = run("synthetic:lose_every=100",
                          {{.what = ActionKind::disable,
                            .who = ActionTarget::session,
                            .at_s = 0.1,
                            .for_s = 0.1,
                            .every_s = 0.2}},
                          threads, mode);
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.consumer.mode == mode);
  REQUIRE(trial.switching);
  REQUIRE(trial.switching->events);
  REQUIRE(trial.ledger.switched_off);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.emitted ==
        trial.ledger.delivered + trial.ledger.lost + *trial.ledger.switched_off);
  CHECK(trial.switching->switches == trial.actions->size());
  CHECK(trial.switching->events->off > 1'000);
  // The sink's own loss is none of the switch's, however it is reported.
  CHECK(trial.switching->events->lost_between + trial.switching->events->missed ==
        trial.ledger.lost);
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.switching->at_switch.count > 0);
  CHECK(trial.switching->at_switch.count + trial.switching->elsewhere.count == trial.measured);
}

TEST_CASE("a session that cannot be switched is refused once, and the trial goes on") {
  const Trial trial = run("file", {{.what = ActionKind::disable,
                                    .who = ActionTarget::session,
                                    .at_s = 0.1,
                                    .for_s = 0.05,
                                    .every_s = 0.1}});
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK(trial.actions->front().refused == "the sink cannot be switched while it runs");
  CHECK_FALSE(trial.switching);
  CHECK_FALSE(trial.ledger.switched_off);
}

TEST_CASE("a consumer that is stopped for a while reads everything later") {
  const Trial trial =
      run("synthetic",
          {{.what = ActionKind::stop, .who = ActionTarget::consumer, .at_s = 0.2, .for_s = 0.2}});
  if (trial.actions && !trial.actions->empty() && !trial.actions->front().refused.empty()) return;
  check_went_as_planned(trial);
  CHECK(trial.ledger.delivered == 3'000);
  REQUIRE(trial.consumer.delivery);
  CHECK(trial.consumer.delivery->max_ns > 150'000'000);
}

TEST_CASE("no consumer is stopped where none reads during the load") {
  const Trial trial =
      run("synthetic", {{.what = ActionKind::stop, .who = ActionTarget::consumer, .at_s = 0.2}}, 1,
          ConsumerMode::after);
  check_went_as_planned(trial);
  REQUIRE(trial.actions);
  CHECK(trial.actions->front().refused == "no consumer reads while the load runs");
}

// The trial's parts that its actions started; the actions went as planned.
const std::vector<FurtherUse>& further_of(const Trial& trial) {
  REQUIRE(trial.actions);
  for (const ActionDone& action : *trial.actions) CHECK(action.refused.empty());
  REQUIRE(trial.further);
  for (const FurtherUse& use : *trial.further) {
    CHECK(use.checked);
    CHECK(use.unchecked_cause.empty());
    CHECK(use.to_ns > use.from_ns);
  }
  return *trial.further;
}

TEST_CASE("a provider that is started during the load is in the ledger, and ends when it is told") {
  const Trial trial =
      run("synthetic",
          {{.what = ActionKind::start, .at_s = 0.1}, {.what = ActionKind::end, .at_s = 1.2}}, 1, {},
          1.5);
  check_went_as_planned(trial);
  const std::vector<FurtherUse>& further = further_of(trial);
  REQUIRE(further.size() == 1);
  CHECK(further[0].who == ActionTarget::program);
  CHECK(further[0].due > 0);
  CHECK(further[0].due == further[0].delivered);
  CHECK(further[0].missing == 0);
  CHECK(trial.actions->front().process == "provider");
  REQUIRE(trial.writers);
  REQUIRE(trial.writers->size() == 2);
  CHECK(trial.writers->back().process == 1);
  // The first one's events, of which each is due, and those of a part of the load.
  CHECK(trial.ledger.emitted > 7'500);
  CHECK(trial.ledger.emitted < 13'500);
  CHECK(trial.load.threads == 1);
}

TEST_CASE("a consumer that is started during the load reads everything beside the trial's own") {
  const Trial trial = run(
      "synthetic",
      {{.what = ActionKind::start, .who = ActionTarget::consumer, .at_event = 500, .for_s = 0.2},
       {.what = ActionKind::start, .who = ActionTarget::consumer, .at_s = 0.1}});
  check_went_as_planned(trial);
  const std::vector<FurtherUse>& further = further_of(trial);
  REQUIRE(further.size() == 2);
  for (const FurtherUse& use : further) {
    CHECK(use.who == ActionTarget::consumer);
    CHECK(use.missing == 0);
    CHECK(use.duplicates + use.corrupted == 0);
    CHECK(use.due == use.delivered);
  }
  CHECK(std::max(further[0].delivered, further[1].delivered) == trial.ledger.delivered);
}

TEST_CASE("a rival's session that is started during the load has the events of its time") {
  const bool loses = GENERATE(false, true);
  const Trial trial =
      run(loses ? "synthetic:rival_lose_every=10" : "synthetic",
          {{.what = ActionKind::start, .who = ActionTarget::rival, .at_s = 0.1, .for_s = 0.3}});
  check_went_as_planned(trial);
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  const std::vector<FurtherUse>& further = further_of(trial);
  REQUIRE(further.size() == 1);
  CHECK(further[0].who == ActionTarget::rival);
  CHECK(further[0].due > 100);
  CHECK(further[0].due < trial.ledger.emitted);
  if (loses) {
    // One of ten, but that the first and the last may be of calls in the switches.
    CHECK(further[0].missing + 2 >= further[0].due / 10);
    CHECK(further[0].missing <= further[0].due / 10 + 2);
  } else {
    CHECK(further[0].missing == 0);
    CHECK(further[0].delivered >= further[0].due);
  }
  REQUIRE(trial.switching);
  CHECK(trial.switching->switches == 2);
}

TEST_CASE("events that a further provider loses are counted as those of the first one") {
  const Trial trial =
      run("synthetic:lose_every=10", {{.what = ActionKind::start, .at_s = 0.05}}, 1, {}, 0.6);
  check_went_as_planned(trial);
  const FurtherUse& second = further_of(trial).at(0);
  CHECK(second.missing == second.due / 10);
  CHECK(trial.ledger.lost >= second.missing);
  CHECK(trial.ledger.unaccounted == 0);
}

// Built with AddressSanitizer, a process took 0.6 s to start.
constexpr double kLongerThanAnyStartS = 2;

// Under Wine a process may take as long to start as these trials run, so both are [long].
TEST_CASE("a further consumer makes the calls longer by what is planted, as long as it reads",
          "[long]") {
  const auto p50_ns = [](const std::string& sink) {
    const Trial trial =
        run(sink, {{.what = ActionKind::start, .who = ActionTarget::consumer, .at_s = 0}}, 1, {},
            kLongerThanAnyStartS);
    check_went_as_planned(trial);
    further_of(trial);
    return static_cast<double>(trial.service.p50_ns);
  };
  const double planted_ns = p50_ns("synthetic:service_ns=20000:reader_percent=300");
  CHECK(planted_ns > 79'000);
  CHECK(p50_ns("synthetic:service_ns=20000") < planted_ns / 2);
}

TEST_CASE("a further provider or consumer that fails says so, and does not hang the trial",
          "[long]") {
  const auto how = GENERATE(as<std::string>(), "open", "crash");
  const auto failing = [&](ActionTarget who) {
    return run("synthetic:further_fails=" + how,
               {{.what = ActionKind::start, .who = who, .at_s = 0.1}}, 1, {}, kLongerThanAnyStartS);
  };
  const Trial of_program = failing(ActionTarget::program);
  CHECK(of_program.outcome == (how == "open" ? TrialOutcome::failed : TrialOutcome::crashed));
  CHECK(of_program.outcome_detail.find(how == "open" ? "planted" : "provider 2 of 2") !=
        std::string::npos);
  const Trial of_consumer = failing(ActionTarget::consumer);
  check_went_as_planned(of_consumer);
  REQUIRE(of_consumer.further);
  CHECK_FALSE(of_consumer.further->at(0).checked);
  CHECK(of_consumer.further->at(0).unchecked_cause.find(
            how == "open" ? "planted" : "did not read to the end") != std::string::npos);
  CHECK(of_consumer.ledger.delivered == of_consumer.ledger.emitted);
}

TEST_CASE("what a sink cannot have started says why, and the trial goes on") {
  const auto refused = [](const std::string& sink, ActionTarget who) {
    const Trial trial = run(sink, {{.what = ActionKind::start, .who = who, .at_s = 0.1}});
    check_went_as_planned(trial);
    REQUIRE(trial.actions);
    CHECK_FALSE(trial.further);
    return trial.actions->at(0).refused;
  };
  CHECK(refused("file:mode=stdio:flush_every=1", ActionTarget::program) ==
        "the sink takes no events from a further process while the load runs");
  CHECK(refused("file", ActionTarget::rival) == "the sink's provider has no second session");
  CHECK(refused("synthetic:reader_room_events=100_000", ActionTarget::consumer) ==
        "only one consumer can read the sink while the load runs");
  const Trial trial = run("synthetic", {{.what = ActionKind::end, .at_s = 0.1}});
  CHECK(trial.actions->at(0).refused == "none was started that still runs");
}

}  // namespace
}  // namespace tailgate
