// The controller's part of one trial: starts the session and the two processes, watches them, and
// turns whatever happened into the trial's part of the result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/activity/trace.h"
#include "harness/base/clock.h"
#include "harness/base/histogram.h"
#include "harness/result/result.h"
#include "harness/trial/load.h"
#include "providers/registry.h"

namespace tailgate {

// When the consumer reads.
enum class Consume { automatic, live, after, none };
Consume parse_consume(std::string_view text);  // "auto", "live", "after", "none"; throws Error

// What does not change from trial to trial of a run.
struct TrialSettings {
  ClockCalibration clock;
  HistogramRange range;
  std::vector<int> load_cpus;      // empty: not bound
  std::vector<int> consumer_cpus;  // empty: not bound
  std::vector<int> sink_cpus;      // of the sink's own threads and daemons; empty: all there are
  std::vector<int> victim_cpus;    // of a process that does other work meanwhile; empty: none
  Consume consume = Consume::automatic;
  std::uint32_t slowest = 16;  // calls kept per thread
  double noise_s = 0.1;
  double interval_s = 0.2;
  double poll_interval_s = 0.0005;
  double hang_timeout_s = 10;  // a call, an opening or a closing that takes longer hangs
  bool keep_files = false;     // leave the trial's folder
  // Trace what the machine does beside the load, to explain slow calls.
  std::optional<activity::TraceMethod> trace = {};
};

struct TrialProgress {
  std::string what;      // "load", "read back" …
  double elapsed_s = 0;  // of the whole trial
  double planned_s = 0;
  int provider_pid = 0;  // 0 before it has started
};
using ProgressCallback = std::function<void(const TrialProgress&)>;

// Runs one trial in `directory`, which must not exist yet and is removed afterwards. Failures of
// the sink and of the processes are outcomes of the trial, not exceptions; throws Error only when
// the trial could not be set up at all (no memory, no folder).
Trial run_trial(const SinkChoice& sink, const LoadPlan& load, const TrialSettings& settings,
                const std::filesystem::path& directory, const ProgressCallback& progress);

// How the consumer will read, after the sink's capabilities have had their say. Throws Error when
// what was asked for is not possible.
Consume resolve_consume(const SinkChoice& sink, Consume wanted);

// About how long a trial takes, for progress and time limits: seconds.
double planned_trial_s(const LoadPlan& load, const TrialSettings& settings);

}  // namespace tailgate
