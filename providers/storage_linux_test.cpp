// What is done to the files of sinks while a load writes them: rotated, and their disk filled.
// Every event must be read back, or be counted.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/trial/action_times.h"
#include "providers/testing/sinks.h"
#include "providers/testing/stress_trial.h"

namespace tailgate {
namespace {

using Catch::Contains;

bool is_available(const std::string& sink) {
  const SinkChoice choice = sink_choice(sink);
  const Probe probe = choice.type->probe(choice.options);
  if (!probe.available) WARN("skipped: " << sink << ": " << probe.reason);
  return probe.available;
}

LoadPlan steady_load(double duration_s) {
  LoadPlan load;
  load.rate_hz = 5'000;
  load.duration_s = duration_s;
  load.warmup_s = 0;
  load.payload = parse_payload("500");
  return load;
}

Trial run_with(const std::string& sink, const TrialAction& action, double duration_s = 0.5) {
  TrialSettings settings = stress_settings();
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0;
  settings.actions = {action};
  settings.watch_storage = true;
  const LoadPlan load = steady_load(duration_s);
  check_actions(settings.actions, load);
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

std::size_t done(const Trial& trial, ActionKind what) {
  const std::vector<ActionDone> actions = trial.actions.value_or(std::vector<ActionDone>{});
  return static_cast<std::size_t>(std::count_if(
      actions.begin(), actions.end(),
      [&](const ActionDone& action) { return action.what == what && action.refused.empty(); }));
}

const TrialAction kRotate = {
    .what = ActionKind::rotate, .who = ActionTarget::session, .at_s = 0.1, .every_s = 0.15};
const TrialAction kFill = {
    .what = ActionKind::fill, .who = ActionTarget::session, .at_s = 0.1, .for_s = 0.15};

TEST_CASE("files that are rotated under load lose no event, and tear none") {
  const std::string sink =
      GENERATE("file:mode=rotate", "file:mode=launch", "lttng", "lttng:buffers=pid", "journald",
               "journald:mode=sd_journal_send", "syslog");
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kRotate);
  INFO(sink << ": " << describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(done(trial, ActionKind::rotate) >= 2);
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.duplicates + trial.ledger.corrupted + trial.ledger.damaged_bytes == 0);
}

TEST_CASE("sinks without files to rotate say so, and the trial goes on") {
  const std::string sink = GENERATE("file", "null", "lttng:output=snapshot");
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kRotate, 0.2);
  INFO(sink << ": " << describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK_THAT(trial.actions->front().refused, Contains("rotate"));
}

TEST_CASE(
    "a file refuses exactly what its full disk does not take, and goes on when there is room") {
  const std::string sink = "file:disk_bytes=8Mi";
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kFill);
  INFO(describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(done(trial, ActionKind::fill) == 1);
  CHECK(done(trial, ActionKind::free) == 1);
  CHECK(balanced(trial.ledger));
  CHECK(lost_to(trial.ledger, "ENOSPC") > 100);
  CHECK(lost_to(trial.ledger, "ENOSPC") == trial.ledger.lost);
  // Its last event is left, so it went on.
  REQUIRE(trial.kept_events);
  CHECK(trial.kept_events->gone_newest == 0);
  CHECK(trial.kept_events->kept == trial.kept_events->accepted);
  // The disk is the session's own, and what is on it was seen.
  REQUIRE(trial.storage);
  CHECK(std::any_of(trial.storage->kept.begin(), trial.storage->kept.end(),
                    [](const StorageLook& look) { return look.bytes > 100'000; }));
}

TEST_CASE("daemons count what a full disk cost") {
  const std::string sink =
      GENERATE("journald:disk_bytes=16Mi:keep_free_bytes=1", "syslog:disk_bytes=8Mi");
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kFill);
  INFO(sink << ": " << describe(trial));
  CHECK(done(trial, ActionKind::fill) == 1);
  CHECK(balanced(trial.ledger));
}

TEST_CASE("no disk is filled that is not the session's own") {
  const std::string sink = GENERATE("file", "journald", "null");
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kFill, 0.3);
  INFO(sink << ": " << describe(trial));
  CHECK(done(trial, ActionKind::fill) == 0);
  REQUIRE(trial.actions);
  REQUIRE(trial.actions->size() == 1);
  CHECK_THAT(trial.actions->front().refused, Contains("no file system of its own"));
  CHECK(trial.ledger.lost == 0);
}

TEST_CASE("events below journald's MaxLevelStore are switched off, not lost") {
  if (!is_available("journald")) return;
  const std::string sink = GENERATE("journald:max_level_store=warning",
                                    "journald:max_level_store=warning:mode=sd_journal_send",
                                    "journald:max_level_store=info");
  const Trial trial = run_with(sink, kRotate, 0.2);
  INFO(sink << ": " << describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.lost == 0);
  CHECK(trial.ledger.unaccounted == 0);
  if (sink.ends_with("info")) {
    CHECK_FALSE(trial.ledger.switched_off);
    CHECK(trial.ledger.delivered == trial.ledger.emitted);
  } else {
    CHECK(trial.ledger.switched_off == trial.ledger.emitted);
    CHECK(trial.ledger.delivered == 0);
  }
}

TEST_CASE("sinks that each have a private view of the file system share one in a tee") {
  const std::string sink =
      GENERATE("tee:first=journald:second=syslog", "tee:first=syslog:second=lttng:third=journald",
               "tee:first=lttng:second=file+disk_bytes=8Mi");
  if (!is_available(sink)) return;
  const Trial trial = run_with(sink, kRotate, 0.3);
  INFO(sink << ": " << describe(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(balanced(trial.ledger));
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  CHECK(trial.ledger.duplicates + trial.ledger.corrupted + trial.ledger.damaged_bytes == 0);
}

}  // namespace
}  // namespace tailgate
