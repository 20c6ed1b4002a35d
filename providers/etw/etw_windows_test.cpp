// Whole trials of the sink against the library that stands in for Windows' event tracing. They test
// the sink's logic, not the behaviour of Windows.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <optional>

#include "harness/base/testing/test_directory.h"
#include "harness/etw/properties_windows.h"
#include "harness/etw/testing/stand_in_kernel_windows.h"
#include "harness/os/process.h"
#include "providers/etw/testing/stand_in_trial.h"

using namespace tailgate;
using etw::check_balanced;
using etw::plant;
using etw::remarks;

namespace {

Trial run(const std::string& sink, const wchar_t* fault = L"",
          std::optional<activity::TraceMethod> trace = std::nullopt,
          const std::vector<TrialAction>& actions = {}, bool watch_storage = false) {
  TrialSettings settings = etw::stand_in_settings(actions);
  settings.trace = trace;
  settings.watch_storage = watch_storage;
  return etw::run_on_stand_in(sink, etw::stand_in_load(), settings, fault);
}

std::string granted(const Trial& trial, const std::string& name) {
  for (const Setting& setting : trial.granted) {
    if (setting.name == name) return setting.value;
  }
  return "";
}

}  // namespace

TEST_CASE("all events of a trial are read back and the ledger balances") {
  for (const char* sink : {"etw", "etw:mode=circular", "etw:clock=system:flush_timer_s=0",
                           "etw:mode=new_file:file_bytes=1Mi", "etw:mode=memory:buffer_bytes=128Ki",
                           "etw:mode=private", "etw:mode=realtime", "etw:controller=logman",
                           "etw:controller=logman:mode=realtime", "etw:keyword=3", "etw:keyword=0",
                           "etw:provider_guid=01234567-89ab-cdef-0123-456789abcdef",
                           "etw:processes=program:session_name=shop.{host}",
                           "etw:controller=logman:mode=circular:flush_timer_s=2"}) {
    check_balanced(sink, run(sink));
  }
}

TEST_CASE("a session that is disabled and enabled under load loses nothing between") {
  for (const SwitchWay way : {SwitchWay::session, SwitchWay::level, SwitchWay::keyword}) {
    INFO(way);
    const Trial trial = run("etw", L"", std::nullopt,
                            {{.what = ActionKind::disable,
                              .who = ActionTarget::session,
                              .at_s = 0.1,
                              .for_s = 0.05,
                              .every_s = 0.1,
                              .by = way}});
    CHECK(trial.outcome == TrialOutcome::completed);
    REQUIRE(trial.switching);
    REQUIRE(trial.switching->events);
    CHECK(trial.switching->switches >= 6);
    CHECK(trial.switching->events->off > 1'000);
    CHECK(trial.switching->events->leaked == 0);
    CHECK(trial.switching->events->missed == 0);
    CHECK(trial.switching->events->lost_between == 0);
    CHECK(trial.ledger.unaccounted == 0);
  }
}

TEST_CASE("a session that logman started, or that there is not, is not switched") {
  for (const char* sink : {"etw:controller=logman", "etw:mode=unlistened"}) {
    const Trial trial =
        run(sink, L"", std::nullopt,
            {{.what = ActionKind::disable, .who = ActionTarget::session, .at_s = 0.1}});
    REQUIRE(trial.actions);
    REQUIRE(trial.actions->size() == 1);
    CHECK_THAT(trial.actions->front().refused, Catch::Contains("switched"));
    CHECK_FALSE(trial.switching);
  }
}

TEST_CASE("logman's sessions are saved, started, stopped and deleted, those of dead runs, too") {
  const std::filesystem::path folder = executable_path().parent_path();
  const auto saved = [&folder] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".collector") names.push_back(entry.path().stem().string());
    }
    return names;
  };
  const std::string alive = "tailgate-" + std::to_string(this_process_number()) + "-other";
  for (const std::string& name : {std::string("tailgate-2000000000-killed"), alive}) {
    std::ofstream(folder / (name + ".collector")) << "create\ntrace\n" << name << '\n';
  }
  const Trial trial = run("etw:controller=logman:flush_timer_s=2");
  check_balanced("logman", trial);
  CHECK(granted(trial, "flush_timer_s") == "2");
  CHECK(saved() == std::vector<std::string>{alive});
  std::filesystem::remove(folder / (alive + ".collector"));
}

TEST_CASE("a setting that matters and was not granted ends the trial with the reason") {
  const std::vector<std::pair<const wchar_t*, std::string>> faults = {
      {L"logman_drops", "has log_file_mode = 0x0 instead of 0x2"},
      {L"logman_numbers", "has file = trace.etl_000001.etl instead of trace.etl"}};
  for (const auto& [fault, text] : faults) {
    const Trial trial = run("etw:controller=logman:mode=circular", fault);
    CHECK(trial.outcome == TrialOutcome::failed);
    CHECK_THAT(trial.outcome_detail, Catch::Contains(text));
  }
  const Trial trial = run("etw:controller=logman:flush_timer_s=2", L"logman_drops");
  CHECK(trial.outcome == TrialOutcome::failed);
  CHECK_THAT(trial.outcome_detail, Catch::Contains("has flush_timer_s = 0 instead of 2"));
}

TEST_CASE("the result contains the settings that Windows granted, not those requested") {
  const Trial trial = run("etw:buffers_max_count=8");
  CHECK(granted(trial, "buffers_count") == "64");
  CHECK(granted(trial, "buffers_max_count") == "64");
  CHECK(granted(trial, "buffer_bytes") == "65536");
}

TEST_CASE("a real-time session delivers events while the load runs") {
  const Trial trial = run("etw:mode=realtime:buffer_bytes=4096");
  check_balanced("realtime", trial);
  CHECK(trial.consumer.delivery.has_value());
}

TEST_CASE("keep_in keeps the files and removes the oldest") {
  const TestDirectory folder;
  const std::string sink = "etw:keep_in=" + folder.path().string();
  const auto files = [&] {
    const std::filesystem::directory_iterator entries(folder.path());
    return std::distance(begin(entries), end(entries));
  };
  check_balanced(sink, run(sink));
  check_balanced(sink, run(sink));
  CHECK(files() == 2);
  check_balanced(sink, run(sink + ":keep_bytes=0"));
  CHECK(files() == 1);
}

// 12,000 events of some 200 bytes are more than two files of 1 MiB.
TEST_CASE("a circular file has the newest events, and one that stops at its size the oldest") {
  for (const std::string mode : {"circular", "capped"}) {
    const Trial trial = run("etw:file_bytes=1Mi:mode=" + mode, L"", std::nullopt, {}, true);
    INFO(mode << ": " << trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK(granted(trial, "cap_bytes") == "1048576");
    CHECK(trial.ledger.delivered > 3'000);
    CHECK(trial.ledger.delivered < 9'000);
    REQUIRE(trial.kept_events);
    CHECK(trial.kept_events->gone_between == 0);
    CHECK((trial.kept_events->gone_newest == 0) == (mode == "circular"));
  }
}

TEST_CASE("files of a folder that keeps them have the time of their launch in their names") {
  const TestDirectory folder;
  const std::string sink =
      "etw:mode=circular:file_bytes=1Mi:keep_bytes=2Mi:keep_in=" + folder.path().string();
  std::vector<std::string> newest;
  for (int launch = 0; launch < 3; ++launch) {
    run(sink);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    REQUIRE_FALSE(names.empty());
    CHECK(names.size() <= 2);  // 1 MiB of earlier ones, and its own
    newest.push_back(names.back());
  }
  CHECK(std::is_sorted(newest.begin(), newest.end()));
  CHECK(newest[0] != newest[1]);
  CHECK_THAT(newest[0], Catch::StartsWith("tailgate-20"));
}

TEST_CASE("without a listener nothing is delivered and no ledger is checked") {
  for (const char* sink :
       {"etw:mode=unlistened", "etw:level=warning", "etw:keyword=2", "etw:processes=others"}) {
    const Trial trial = run(sink);
    INFO(sink << ": " << trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
    CHECK(trial.outcome == TrialOutcome::completed);
    CHECK_FALSE(trial.ledger.checked);
    CHECK(trial.ledger.emitted == 12'000);
  }
}

TEST_CASE("events that found no free buffer are the session's losses") {
  const Trial trial = run("etw:buffer_bytes=4096", L"buffers_full");
  INFO(trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  REQUIRE(trial.ledger.losses.size() == 1);
  CHECK(trial.ledger.losses.front().cause == "EventsLost");
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.ledger.delivered + trial.ledger.lost == trial.ledger.emitted);
  CHECK(trial.ledger.unaccounted == 0);
}

TEST_CASE("the error of a session that cannot be started has a reason and a remedy") {
  const std::vector<std::pair<const wchar_t*, std::string>> faults = {
      {L"access_denied", "Performance Log Users"},
      {L"enable_fails", "EnableTraceEx2"},
      {L"no_buffers", "has no buffers"}};
  for (const auto& [fault, text] : faults) {
    for (const char* sink : {"etw", "etw:mode=private"}) {
      const Trial trial = run(sink, fault);
      CHECK(trial.outcome == TrialOutcome::failed);
      CHECK_THAT(trial.outcome_detail, Catch::Contains(text));
    }
  }
}

TEST_CASE("a controller that fails or hangs ends the trial with an error") {
  const Trial failed = run("etw:controller=logman", L"logman_fails");
  CHECK(failed.outcome == TrialOutcome::failed);
  CHECK_THAT(failed.outcome_detail, Catch::Contains("it said: Error: Access is denied."));
  const Trial hung = run("etw:controller=logman:logman_timeout_s=1", L"logman_hangs");
  CHECK(hung.outcome == TrialOutcome::failed);
  CHECK_THAT(hung.outcome_detail, Catch::Contains("had not ended after 1 s"));
  const Trial asked_too_much = run("etw:controller=logman:mode=private");
  CHECK(asked_too_much.outcome == TrialOutcome::failed);
}

TEST_CASE("a refused real-time consumer is an error with a reason") {
  const Trial trial = run("etw:mode=realtime", L"open_fails");
  CHECK(trial.outcome == TrialOutcome::failed);
  CHECK_THAT(trial.outcome_detail, Catch::Contains("OpenTraceW"));
}

TEST_CASE("a stale session of the same name is stopped before the start") {
  CHECK(run("etw", L"name_taken").outcome == TrialOutcome::completed);
}

TEST_CASE("losses that the session did not count leave a remark") {
  const Trial stopped = run("etw", L"stopped");
  CHECK_THAT(remarks(stopped), Catch::Contains("stopped by another program"));
  CHECK(stopped.ledger.delivered == 0);

  const Trial lost = run("etw", L"buffer_lost");
  CHECK_THAT(remarks(lost), Catch::Contains("could not write 1 buffers"));
  CHECK(lost.ledger.unaccounted > 0);

  const Trial undelivered = run("etw:mode=realtime:buffer_bytes=4096", L"realtime_buffer_lost");
  CHECK_THAT(remarks(undelivered), Catch::Contains("could not deliver 1 buffers"));
  CHECK(undelivered.ledger.unaccounted > 0);
}

namespace {

void check_adds_up(const Explanation& explanation) {
  CHECK(explanation.tails.size() == 2);
  for (const ExplainedTail& tail : explanation.tails) {
    CHECK(tail.calls > 0);
    std::uint64_t sum_ns = 0;
    for (const CauseTime& cause : tail.causes) sum_ns += cause.time_ns;
    CHECK(sum_ns == tail.time_ns);
  }
  for (const ExplainedCall& call : explanation.calls) {
    std::uint64_t at_ns = call.intended_ns;
    for (const CallSlice& slice : call.slices) {
      CHECK(slice.start_ns >= at_ns);
      CHECK(slice.cause != "untraced");
      at_ns = slice.end_ns;
    }
    CHECK(at_ns <= call.end_ns);
  }
}

// Finds the call with this sequence number, and its slice with this cause.
std::pair<ExplainedCall, CallSlice> slow_call(const Explanation& explanation,
                                              std::uint64_t sequence, const std::string& cause) {
  for (const ExplainedCall& call : explanation.calls) {
    if (call.sequence != sequence) continue;
    for (const CallSlice& slice : call.slices) {
      if (slice.cause == cause) return {call, slice};
    }
  }
  FAIL("call " << sequence << " is not explained by " << cause);
  return {};
}

}  // namespace

TEST_CASE("a trial with a kernel trace explains what its slowest calls waited for") {
  const Trial trial = run("etw", L"slow_calls", activity::TraceMethod::kernel_trace);
  check_balanced("etw", trial);
  REQUIRE(trial.explanation);
  const TraceUsed& used = trial.explanation->trace;
  INFO(used.limits);
  CHECK(used.method == "kernel_trace");
  CHECK(used.complete);
  CHECK(used.mismatched_switches == 0);
  CHECK(used.start_ns < trial.start_ns);
  CHECK(used.end_ns >= trial.end_ns);
  check_adds_up(*trial.explanation);

  // The stand-in holds up two calls in the provider's process and notes the times; the provider
  // times its calls independently.
  const std::pair<std::uint64_t, const char*> held_up[] = {
      {etw::stand_in::kSleepsInEvent, "blocked_sleep"},
      {etw::stand_in::kPreemptedInEvent, "waiting"}};
  for (const auto& [sequence, cause] : held_up) {
    const auto [call, slice] = slow_call(*trial.explanation, sequence, cause);
    CHECK(call.slow_service);
    CHECK(slice.start_ns >= call.start_ns);
    CHECK(slice.end_ns <= call.end_ns);
    CHECK(slice.pid == (slice.cause == "waiting" ? etw::stand_in::kPreemptor : 0));
  }
}

TEST_CASE("sweep() stops the sessions of dead runs only") {
  plant(L"dead_session");
  const auto running = [] {
    std::vector<etw::Properties> sessions(4);
    std::vector<EVENT_TRACE_PROPERTIES*> pointers;
    for (etw::Properties& session : sessions) pointers.push_back(&session.properties());
    ULONG count = 0;
    REQUIRE(etw::api().query_all_traces(pointers.data(), 4, &count) == ERROR_SUCCESS);
    std::vector<std::wstring> names;
    for (ULONG i = 0; i < count; ++i) names.emplace_back(sessions[i].name());
    return names;
  };
  const std::vector<std::wstring> before = running();
  REQUIRE(before.size() == 3);
  test_sinks().find("etw")->sweep();
  CHECK(running() == std::vector<std::wstring>(before.begin() + 1, before.end()));
}
