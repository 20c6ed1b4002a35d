// Whole trials of the sink against the stand-in library; the registry is the real one. They test
// the sink's logic, not the behaviour of Windows.
#include <catch2/catch.hpp>

#include "harness/os/affinity.h"
#include "harness/os/api_windows.h"
#include "harness/os/install_paths.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/eventlog/api_windows.h"
#include "providers/testing/sinks.h"

using namespace tailgate;

namespace {

constexpr std::uint64_t kEvents = 6000;
constexpr const wchar_t* kOwnLogKey = L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Tailgate";

// Sets an environment variable for this process and its children. The C library keeps a copy of its
// own, so both are set.
void set_variable(const std::wstring& name, const std::wstring& value) {
  _wputenv_s(name.c_str(), value.c_str());
}

Trial run(const std::string& sink, const wchar_t* fault = L"") {
  const std::filesystem::path library =
      executable_path().parent_path() / TAILGATE_EVENTLOG_STAND_IN;
  set_variable(wide(eventlog::kLibraryVariable), library.wstring());
  set_variable(L"TAILGATE_STAND_IN_FAULT", fault);
  LoadPlan load;
  load.rate_hz = 10'000;
  load.duration_s = 0.5;
  load.warmup_s = 0.1;
  TrialSettings settings;
  settings.clock = measure_clock();
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

std::string about(const Trial& trial) {
  std::string all = std::string(enum_text(trial.outcome)) + " " + trial.outcome_detail + " ";
  for (const Remark& remark : trial.remarks) all += remark.what + "; ";
  return all;
}

bool own_log_is_registered() {
  HKEY key = nullptr;
  const LSTATUS failed = RegOpenKeyExW(HKEY_LOCAL_MACHINE, kOwnLogKey, 0, KEY_READ, &key);
  if (failed == ERROR_SUCCESS) RegCloseKey(key);
  return failed == ERROR_SUCCESS;
}

void check_all_came_back(const Trial& trial) {
  INFO(about(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.emitted == kEvents);
  CHECK(trial.ledger.delivered == kEvents);
  CHECK(trial.ledger.unaccounted + trial.ledger.corrupted + trial.ledger.duplicates == 0);
}

}  // namespace

TEST_CASE("all events of a trial are read back, and no registry entry is left") {
  for (const char* sink : {"eventlog", "eventlog:log=application", "eventlog:when_full=refuse"}) {
    INFO(sink);
    check_all_came_back(run(sink));
    CHECK_FALSE(own_log_is_registered());
  }
}

TEST_CASE("the result contains the log's settings from the registry") {
  const Trial trial = run("eventlog:log_bytes=8Mi:when_full=refuse");
  std::string granted;
  for (const Setting& setting : trial.granted) granted += setting.name + "=" + setting.value + " ";
  CHECK_THAT(granted, Catch::Contains("log=Tailgate") && Catch::Contains("log_bytes=8388608") &&
                          Catch::Contains("when_full=refuse"));
}

TEST_CASE("events that the subscription did not deliver are read by record number") {
  check_all_came_back(run("eventlog", L"slow"));
}

TEST_CASE("a full log and a stopped service are refusals") {
  const std::pair<const wchar_t*, const char*> faults[] = {{L"log_full", "log full"},
                                                           {L"service_stopped", "service stopped"}};
  for (const auto& [fault, cause] : faults) {
    const Trial trial = run("eventlog:when_full=refuse", fault);
    INFO(about(trial));
    CHECK(trial.ledger.delivered == 1000);
    REQUIRE(trial.ledger.losses.size() == 1);
    CHECK(trial.ledger.losses.front().cause == cause);
    CHECK(trial.ledger.losses.front().events == kEvents - 1000);
    CHECK(trial.ledger.unaccounted == 0);
  }
}

TEST_CASE("overwritten events are unaccounted for") {
  const Trial trial = run("eventlog", L"wrapped");
  INFO(about(trial));
  CHECK(trial.ledger.delivered + trial.ledger.unaccounted == kEvents);
}

TEST_CASE("a log that the user may not read is an error with a remedy") {
  const Trial trial = run("eventlog", L"access_denied");
  CHECK_THAT(about(trial), Catch::Contains("EvtSubscribe"));
  CHECK_FALSE(own_log_is_registered());
}
