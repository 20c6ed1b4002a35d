// The sink's own session, provider and consumer, in whole trials against the library that stands in
// for Windows' event tracing. What it proves is the sink's logic, not Windows' behaviour.
#include <catch2/catch.hpp>

#include "harness/base/affinity.h"
#include "harness/base/api_windows.h"
#include "harness/base/install_paths.h"
#include "harness/base/test_directory.h"
#include "harness/trial/controller.h"
#include "harness/trial/scratch.h"
#include "providers/etw/api_windows.h"
#include "providers/etw/logman.h"

using namespace tailgate;

namespace {

constexpr const wchar_t* kFaultVariable = L"TAILGATE_STAND_IN_FAULT";

// Sets a variable of this process and of those that it starts. The C library has a copy of its own.
void set_variable(const std::wstring& name, const std::wstring& value) {
  _wputenv_s(name.c_str(), value.c_str());
}

Trial run(const std::string& sink, const wchar_t* fault = L"", double rate_hz = 20'000) {
  const std::filesystem::path folder = executable_path().parent_path();
  set_variable(wide(etw::kLibraryVariable), (folder / TAILGATE_ETW_STAND_IN).wstring());
  set_variable(wide(etw::kLogmanVariable), (folder / TAILGATE_LOGMAN_STAND_IN).wstring());
  set_variable(kFaultVariable, fault);
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.duration_s = 0.5;
  load.warmup_s = 0.1;
  TrialSettings settings;
  settings.clock = calibrate_clock();
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  const Scratch scratch({}, false);
  return run_trial(parse_sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

std::string granted(const Trial& trial, const std::string& name) {
  for (const Setting& setting : trial.granted) {
    if (setting.name == name) return setting.value;
  }
  return "";
}

std::string remarks(const Trial& trial) {
  std::string all;
  for (const Remark& remark : trial.remarks) all += remark.what + "; " + remark.remedy + "\n";
  return all;
}

}  // namespace

void check_balanced(const std::string& sink, const Trial& trial) {
  INFO(sink << ": " << trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
  CHECK(trial.outcome == "completed");
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.emitted == 12'000);
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.corrupted + trial.ledger.duplicates + trial.ledger.damaged_bytes == 0);
}

TEST_CASE("a whole trial comes back from the session, the ledger balanced") {
  for (const char* sink : {"etw", "etw:mode=circular", "etw:clock=system:flush_timer_s=0",
                           "etw:mode=new_file:file_bytes=1Mi", "etw:mode=memory:buffer_bytes=128Ki",
                           "etw:mode=private", "etw:mode=realtime", "etw:controller=logman",
                           "etw:controller=logman:mode=realtime"}) {
    check_balanced(sink, run(sink));
  }
}

TEST_CASE("what was granted is in the result, rather than what was asked for") {
  const Trial trial = run("etw:buffers_max_count=8");
  CHECK(granted(trial, "buffers_count") == "64");
  CHECK(granted(trial, "buffers_max_count") == "64");
  CHECK(granted(trial, "buffer_bytes") == "65536");
}

TEST_CASE("events in real time are delivered while the load runs") {
  const Trial trial = run("etw:mode=realtime:buffer_bytes=4096");
  check_balanced("realtime", trial);
  CHECK(trial.consumer.delivery.has_value());
}

TEST_CASE("files stay in a folder of their own, the oldest giving way") {
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

TEST_CASE("nobody listens: nothing is delivered, and nothing is claimed") {
  for (const char* sink : {"etw:mode=unlistened", "etw:level=warning"}) {
    const Trial trial = run(sink);
    INFO(sink << ": " << trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
    CHECK(trial.outcome == "completed");
    CHECK_FALSE(trial.ledger.checked);
    CHECK(trial.ledger.emitted == 12'000);
  }
}

TEST_CASE("events for which there was no buffer are the session's losses") {
  const Trial trial = run("etw:buffer_bytes=4096", L"buffers_full");
  INFO(trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
  CHECK(trial.outcome == "completed");
  REQUIRE(trial.ledger.losses.size() == 1);
  CHECK(trial.ledger.losses.front().cause == "EventsLost");
  CHECK(trial.ledger.lost > 0);
  CHECK(trial.ledger.delivered + trial.ledger.lost == trial.ledger.emitted);
  CHECK(trial.ledger.unaccounted == 0);
}

TEST_CASE("a session that cannot be started says why, and what to do") {
  const std::vector<std::pair<const wchar_t*, std::string>> faults = {
      {L"access_denied", "Performance Log Users"},
      {L"enable_fails", "EnableTraceEx2"},
      {L"no_buffers", "has no buffers"}};
  for (const auto& [fault, text] : faults) {
    for (const char* sink : {"etw", "etw:mode=private"}) {
      const Trial trial = run(sink, fault);
      CHECK(trial.outcome == "failed");
      CHECK_THAT(trial.outcome_detail, Catch::Contains(text));
    }
  }
}

TEST_CASE("a controller that fails or hangs is not waited for for ever") {
  const Trial failed = run("etw:controller=logman", L"logman_fails");
  CHECK(failed.outcome == "failed");
  CHECK_THAT(failed.outcome_detail, Catch::Contains("it said: Error: Access is denied."));
  const Trial hung = run("etw:controller=logman:logman_timeout_s=1", L"logman_hangs");
  CHECK(hung.outcome == "failed");
  CHECK_THAT(hung.outcome_detail, Catch::Contains("had not ended after 1 s"));
  const Trial asked_too_much = run("etw:controller=logman:mode=private");
  CHECK(asked_too_much.outcome == "failed");
}

TEST_CASE("a real-time session that may not be read says so") {
  const Trial trial = run("etw:mode=realtime", L"open_fails");
  CHECK(trial.outcome == "failed");
  CHECK_THAT(trial.outcome_detail, Catch::Contains("OpenTraceW"));
}

TEST_CASE("a stale session of the same name is stopped first") {
  CHECK(run("etw", L"name_taken").outcome == "completed");
}

TEST_CASE("what a session lost without counting is never silent") {
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
