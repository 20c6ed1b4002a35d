// Whole trials against the library that stands in for Windows' event tracing.
#pragma once

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

#include "harness/etw/api_windows.h"
#include "harness/os/affinity.h"
#include "harness/os/api_windows.h"
#include "harness/os/install_paths.h"
#include "harness/trial/processes/controller.h"
#include "harness/trial/scratch.h"
#include "providers/etw/logman.h"
#include "providers/testing/sinks.h"

namespace tailgate::etw {

// Sets an environment variable for this process and its children. The C library keeps a copy of its
// own, so both are set.
inline void set_variable(const std::wstring& name, const std::wstring& value) {
  _wputenv_s(name.c_str(), value.c_str());
}

// fault: as harness/etw/testing/stand_in_windows.cpp lists them; empty: none.
inline void plant(const wchar_t* fault) {
  const std::filesystem::path folder = executable_path().parent_path();
  set_variable(wide(kLibraryVariable), (folder / TAILGATE_ETW_STAND_IN).wstring());
  set_variable(wide(kLogmanVariable), (folder / TAILGATE_LOGMAN_STAND_IN).wstring());
  set_variable(L"TAILGATE_STAND_IN_FAULT", fault);
}

// Half a second, and a warm-up.
inline LoadPlan stand_in_load(double rate_hz = 20'000) {
  LoadPlan load;
  load.rate_hz = rate_hz;
  load.duration_s = 0.5;
  load.warmup_s = 0.1;
  return load;
}

inline TrialSettings stand_in_settings(const std::vector<TrialAction>& actions = {}) {
  TrialSettings settings;
  settings.clock = measure_clock();
  settings.range = {
      .lowest_discernible = 1, .highest_trackable = 60'000'000'000, .significant_digits = 3};
  settings.load_cpus = {initial_cpus().back()};
  settings.consumer_cpus = {initial_cpus().front()};
  settings.noise_s = 0.01;
  settings.actions = actions;
  return settings;
}

inline Trial run_on_stand_in(const std::string& sink, const LoadPlan& load,
                             const TrialSettings& settings, const wchar_t* fault = L"") {
  plant(fault);
  const Scratch scratch({}, false);
  return run_trial(sink_choice(sink), load, settings, scratch.path() / "trial",
                   [](const TrialProgress&) {});
}

inline std::string remarks(const Trial& trial) {
  std::string all;
  for (const Remark& remark : trial.remarks) all += remark.what + "; " + remark.remedy + "\n";
  return all;
}

inline void check_balanced(const std::string& sink, const Trial& trial,
                           std::uint64_t events = 12'000) {
  INFO(sink << ": " << trial.outcome << " " << trial.outcome_detail << " " << remarks(trial));
  CHECK(trial.outcome == TrialOutcome::completed);
  CHECK(trial.ledger.checked);
  CHECK(trial.ledger.emitted == events);
  CHECK(trial.ledger.delivered == trial.ledger.emitted);
  CHECK(trial.ledger.unaccounted == 0);
  CHECK(trial.ledger.foreign == 0);
  CHECK(trial.ledger.corrupted + trial.ledger.duplicates + trial.ledger.damaged_bytes == 0);
}

}  // namespace tailgate::etw
