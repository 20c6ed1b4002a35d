// The settings of a trial beyond its load: where its processes run, what they keep, how long they
// wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/explain/trace.h"
#include "harness/histogram/histogram.h"
#include "harness/os/clock.h"
#include "harness/profile/sampler.h"
#include "harness/result/action.h"
#include "harness/result/kernel_events.h"
#include "harness/result/values.h"
#include "harness/sink/catalog.h"
#include "harness/trial/early_end.h"
#include "harness/trial/load.h"

namespace tailgate {

// When the consumer reads. Nothing: live if the sink supports it, else after the trial if
// supported.
using WantedConsumer = std::optional<ConsumerMode>;

// "auto", and the texts of the modes.
std::vector<std::string> consumer_choices();

// Parses one of them. Throws Error.
WantedConsumer parse_consumer(std::string_view text);

// The settings that are the same for all trials of a run.
struct TrialSettings {
  ClockParameters clock;
  HistogramRange range;
  std::vector<int> load_cpus;      // empty: not bound
  std::vector<int> consumer_cpus;  // empty: not bound
  std::vector<int> sink_cpus;      // for the sink's own threads and daemons; empty: all
  std::vector<int> victim_cpus;    // for the victim process; empty: no victim
  WantedConsumer consumer = {};
  std::uint32_t slowest = 16;  // calls kept per thread
  double noise_s = 0.1;
  double interval_s = 0.2;
  double poll_interval_s = 0.0005;
  double hang_timeout_s = 10;  // a call, open or close that takes longer counts as hung
  bool keep_files = false;     // do not remove the trial's folder
  // Trace the machine's activity during the load, to explain slow calls.
  std::optional<activity::TraceMethod> trace = {};
  bool trace_functions = false;  // with the trace, record the kernel's functions, too
  // With the trace, sample the functions at this rate of processor time; 0: do not.
  double sample_hz = profile::kSampleRateHz;
  // The group of the kernel's events that is on during the load; nothing: the kernel's buffer is
  // not touched.
  std::optional<KernelGroup> kernel_group = {};
  // What is done to the trial's processes during the load.
  std::vector<TrialAction> actions = {};
  // Record how much room the trial's files take, and which events are left at the end.
  bool watch_storage = false;
  // What ends the load early.
  EndLimits end_limits = {};
  // How often what was measured so far is reported, so that a controller that is killed leaves
  // that; 0: never.
  double checkpoint_s = 0;
};

// Returns the settings for trials of that sink: the given ones, but for a sink whose calls are made
// by a program in another language with a clock that the program can read.
TrialSettings settings_for(const SinkChoice& sink, TrialSettings settings);

// Resolves how the consumer reads, by the sink's capabilities. Throws Error if the wanted mode is
// not possible.
ConsumerMode consumer_mode(const SinkChoice& sink, WantedConsumer wanted);

// Says why the sink cannot take events from so many threads or processes, or for so many sessions.
std::optional<Error> why_not_shared(const SinkChoice& sink, const LoadPlan& load);

// Throws Error if the sink cannot take that load: from so many, or with events that are all larger
// than it takes. Drawn sizes may exceed that; such events are refused, and counted.
void check_sink_load(const SinkChoice& sink, const LoadPlan& load);

}  // namespace tailgate
