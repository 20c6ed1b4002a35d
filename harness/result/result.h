// What a result file contains. These structs are the schema: each lists its fields with their
// documentation in one `describe` function. The JSON reader, the JSON writer, results/schema.json
// and the tables of results/README.md all follow from it.
//
// Fields that end in _ns are times on the run clock (nanoseconds since the run's start) or
// durations; the documentation says which. Rates are events per second. A field that was not
// measured is absent (std::optional), never zero.
//
// Raise kResultVersion for a change that an old reader would misread. A new field states the
// version that introduced it (fourth argument of the visitor); it keeps its default when an older
// file is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/values.h"

#include "harness/result/action.h"
#include "harness/result/answer.h"
#include "harness/result/copies.h"
#include "harness/result/durations.h"
#include "harness/result/early_end.h"
#include "harness/result/explanation.h"
#include "harness/result/kept_events.h"
#include "harness/result/kernel_events.h"
#include "harness/result/ledger.h"
#include "harness/result/load.h"
#include "harness/result/neighbours.h"
#include "harness/result/overhead.h"
#include "harness/result/program_use.h"
#include "harness/result/slow_call.h"
#include "harness/result/switching.h"

namespace tailgate {

inline constexpr int kResultVersion = 6;
inline constexpr const char* kResultFormat = "tailgate-result";

// A named setting. Lists of settings are in the order of the options table that declares them.
struct Setting {
  std::string name;
  std::string value;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &Setting::name, "the option's name");
    v("value", &Setting::value, "its resolved value, as text");
  }
};

struct Interval {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  Latency service;
  Latency response;
  std::vector<RoleUse> roles;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("start_ns", &Interval::start_ns, "when the previous snapshot was taken");
    v("end_ns", &Interval::end_ns, "when this snapshot was taken");
    v("service", &Interval::service, "service times of the calls that returned in between");
    v("response", &Interval::response, "response times of the same calls");
    v("roles", &Interval::roles, "what each role used in between; empty if it was not sampled", 3);
  }
};

// The machine's own noise: time in which an idle spinning thread did not run.
struct Noise {
  std::uint64_t observed_ns = 0;
  std::uint64_t gaps_over_10us = 0;
  std::uint64_t gaps_over_100us = 0;
  std::uint64_t gaps_over_1ms = 0;
  std::uint64_t max_gap_ns = 0;
  double lost_share = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("observed_ns", &Noise::observed_ns, "how long the load's processor was observed (duration)");
    v("gaps_over_10us", &Noise::gaps_over_10us, "gaps longer than 10 us");
    v("gaps_over_100us", &Noise::gaps_over_100us, "gaps longer than 100 us");
    v("gaps_over_1ms", &Noise::gaps_over_1ms, "gaps longer than 1 ms");
    v("max_gap_ns", &Noise::max_gap_ns, "the longest gap (duration)");
    v("lost_share", &Noise::lost_share,
      "share of the observed time that gaps longer than 10 us took, 0 to 1");
  }
};

// The harness's own cost, measured before each trial: the emit loop on the null sink, or a foreign
// program's call that does nothing, timed as that program's calls are.
struct Floor {
  Latency service;
  double loop_ns = 0;
  double two_clock_reads_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("service", &Floor::service, "service time of a call that does nothing");
    v("loop_ns", &Floor::loop_ns,
      "mean time of one iteration of the emit loop in a closed loop; of a program, of one timed "
      "call "
      "that does nothing, which is what timing adds to each of its calls");
    v("two_clock_reads_ns", &Floor::two_clock_reads_ns,
      "mean time of two clock reads: the minimum cost of timing a call");
  }
};

struct ConsumerReport {
  ConsumerMode mode = ConsumerMode::none;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  double read_s = 0;
  double poll_interval_s = 0;
  std::optional<Latency> delivery;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("mode", &ConsumerReport::mode, "live (while the trial runs), after, or none");
    v("events", &ConsumerReport::events, "events that the consumer read, of any kind");
    v("bytes", &ConsumerReport::bytes, "their size in bytes");
    v("read_s", &ConsumerReport::read_s, "seconds spent reading and checking them");
    v("poll_interval_s", &ConsumerReport::poll_interval_s,
      "live: longest time between two polls when there was nothing to read, which is part of every "
      "delivery latency; else 0");
    v("delivery", &ConsumerReport::delivery,
      "delivery latency: time at which the consumer saw the event - call start; live mode only");
  }
};

// Processor time of one process that works for the session.
struct DaemonUse {
  std::string name;
  std::optional<std::uint64_t> cpu_ns;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &DaemonUse::name, "the process's name");
    v("cpu_ns", &DaemonUse::cpu_ns,
      "processor time, user and system, from before the warm-up until the session was told to "
      "stop, plus the time used afterwards for events still in transit; absent if the process had "
      "ended by then");
  }
};

// A problem that a reader of the figures must know.
struct Remark {
  std::string what;
  std::string remedy;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("what", &Remark::what, "what is wrong, with the value");
    v("remedy", &Remark::remedy, "what to do about it");
  }
};

// What one load thread of several recorded.
struct WriterUse {
  unsigned thread = 0;
  unsigned process = 0;
  std::uint64_t measured = 0;
  double achieved_rate_hz = 0;
  Latency service;
  Latency response;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &WriterUse::thread, "load thread");
    v("process", &WriterUse::process, "the provider process that it belongs to, from 0");
    v("measured", &WriterUse::measured, "events recorded in its histograms");
    v("achieved_rate_hz", &WriterUse::achieved_rate_hz,
      "these / time, from the start of recording to its last return");
    v("service", &WriterUse::service, "its service times");
    v("response", &WriterUse::response, "its response times; for max they equal service times");
  }
};

struct Trial {
  unsigned index = 0;
  unsigned step = 0;
  std::uint32_t run = 0;
  Load load;
  TrialOutcome outcome = TrialOutcome::failed;
  std::string outcome_detail;
  std::string started_utc;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t measured = 0;
  std::uint64_t unissued = 0;
  double achieved_rate_hz = 0;
  bool rate_missed = false;
  std::optional<bool> missed_by_machine;
  Latency service;
  Latency response;
  Latency start_lag;
  std::optional<std::vector<WriterUse>> writers;
  std::vector<Interval> intervals;
  std::vector<SlowCall> slowest;
  LedgerAccount ledger;
  ConsumerReport consumer;
  std::vector<DaemonUse> daemons;
  std::optional<Overhead> overhead;
  std::optional<VictimUse> victim;
  std::optional<Explanation> explanation;
  std::optional<ProgramUse> program;
  Noise noise;
  std::optional<Neighbours> neighbours;
  Floor floor;
  bool memory_locked = false;
  std::vector<Setting> granted;
  std::vector<Remark> remarks;
  std::optional<std::vector<ActionDone>> actions;
  std::optional<std::vector<FurtherUse>> further;
  std::optional<Survival> survival;
  std::optional<Switching> switching;
  std::optional<StorageUse> storage;
  std::optional<KeptEvents> kept_events;
  std::optional<std::vector<CopyRead>> copies;
  std::optional<KernelEventsUse> kernel_events;
  std::optional<EarlyEnd> ended_early;

  template <class Visitor>
  static void describe(Visitor& v) {
    describe_load(v);
    describe_cost(v);
    describe_scenario(v);
  }

  // What was planned and what came of it.
  template <class Visitor>
  static void describe_load(Visitor& v) {
    v("index", &Trial::index, "number of the trial in this run, from 0, in the order of execution");
    v("step", &Trial::step, "which step of the scenario (a sweep has one per rate), from 0");
    v("run", &Trial::run, "number written into every event of this trial");
    v("load", &Trial::load, "the load that was planned");
    v("outcome", &Trial::outcome,
      "completed, failed (the sink reported an error), crashed, killed, hung or interrupted");
    v("outcome_detail", &Trial::outcome_detail,
      "the error, the signal or the call that hung; empty if completed");
    v("started_utc", &Trial::started_utc, "when the load started, ISO 8601");
    v("start_ns", &Trial::start_ns, "when recording started");
    v("end_ns", &Trial::end_ns, "when the last load thread ended");
    v("measured", &Trial::measured, "events recorded in the histograms: all after the warm-up");
    v("unissued", &Trial::unissued,
      "scheduled events that were never emitted because the sink was too slow and the time was "
      "over; if above zero, the response quantiles are lower bounds");
    v("achieved_rate_hz", &Trial::achieved_rate_hz,
      "measured events / time, from the start of recording to the last return or to one mean "
      "interval past the last intended time, whichever is later");
    v("rate_missed", &Trial::rate_missed,
      "the achieved rate missed the target by more than 1 % (never for max)");
    v("missed_by_machine", &Trial::missed_by_machine,
      "whether the rate was missed by the machine's fault: without what others took from the load "
      "(neighbours.taken_ns) it would have been held; false: that is not proven. Absent where it "
      "was held, and in files of before it was recorded");
    v("service", &Trial::service, "service time: call return - call start");
    v("response", &Trial::response,
      "response time: call return - intended start; the main figure. For max it equals service");
    v("start_lag", &Trial::start_lag, "schedule lag: call start - intended start");
    v("writers", &Trial::writers,
      "what each load thread recorded; absent where there is one, and in files of before it was "
      "recorded");
    v("intervals", &Trial::intervals, "service and response times by interval");
    v("slowest", &Trial::slowest,
      "each thread's calls with the longest service times, longest first");
    v("ledger", &Trial::ledger, "what became of every event");
    v("consumer", &Trial::consumer, "how the events were read back");
  }

  // What it cost, why, and under what it was measured.
  template <class Visitor>
  static void describe_cost(Visitor& v) {
    v("daemons", &Trial::daemons, "the processes that worked for the session", 2);
    v("overhead", &Trial::overhead,
      "what each role used while the recorded load ran; absent if recording never began, or if the "
      "controller was killed",
      3);
    v("victim", &Trial::victim,
      "how fast the victim process worked during the load; absent without a victim", 3);
    v("explanation", &Trial::explanation,
      "why this trial's slow calls were slow; traced trials only", 3);
    v("program", &Trial::program,
      "the program that was measured, and how; absent where the load is tailgate's own", 5);
    v("noise", &Trial::noise,
      "gaps that an idle spin loop saw on the load's processor just before the trial");
    v("neighbours", &Trial::neighbours,
      "who else used the machine; absent where the system does not tell, and in files of older "
      "versions",
      6);
    v("floor", &Trial::floor,
      "the harness's own cost, measured in this trial's process just before the load");
    v("memory_locked", &Trial::memory_locked,
      "whether the provider's memory for measurements was locked in RAM");
    v("granted", &Trial::granted, "settings that the sink reports it ran with");
    v("remarks", &Trial::remarks, "what a reader of this trial must know");
  }

  // What its scenario adds to every trial's figures.
  template <class Visitor>
  static void describe_scenario(Visitor& v) {
    v("actions", &Trial::actions, "what the scenario did to it; absent if nothing");
    v("further", &Trial::further,
      "providers, consumers and sessions that the scenario started during the load; absent if "
      "none");
    v("survival", &Trial::survival,
      "what became of the events when the scenario killed a process; absent if it killed none, or "
      "if they were not read back");
    v("switching", &Trial::switching,
      "how the switches went; absent if the session was not switched");
    v("storage", &Trial::storage,
      "how much room the trial's files took during the load; absent if the scenario asks for "
      "nothing of it");
    v("kept_events", &Trial::kept_events,
      "which of the accepted events were left at the end; absent if the scenario asks for nothing "
      "of it, or if they were not read back");
    v("copies", &Trial::copies,
      "what came back of each copy of the log lines, byte by byte; absent unless the load is log "
      "lines and the sink can be read back");
    v("kernel_events", &Trial::kernel_events,
      "the kernel's events that the scenario switched on; absent if it does not ask for any");
    v("ended_early", &Trial::ended_early,
      "the scenario's limit that ended the load before its time; absent if none did");
  }
};

struct ScenarioUsed {
  std::string name;
  std::string preset;
  std::vector<Setting> options;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &ScenarioUsed::name, "steady, burst, sweep, max …");
    v("preset", &ScenarioUsed::preset, "name of the preset that set its options; may be empty");
    v("options", &ScenarioUsed::options, "every option as resolved");
  }
};

struct SinkUsed {
  std::string name;
  std::string label;
  std::vector<Setting> options;
  bool live_read = false;
  bool read_back = false;
  bool accounts_losses = false;
  bool asynchronous = false;
  std::optional<Survives> survives = {};
  std::optional<bool> multi_threaded = {};
  std::optional<bool> multi_process = {};
  std::optional<bool> multi_session = {};
  std::optional<bool> own_sessions = {};

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &SinkUsed::name, "the sink");
    v("label", &SinkUsed::label, "the sink with its options as the user gave them");
    v("options", &SinkUsed::options, "every option as resolved");
    v("live_read", &SinkUsed::live_read, "capability: readable while the trial runs");
    v("read_back", &SinkUsed::read_back, "capability: readable after the trial");
    v("accounts_losses", &SinkUsed::accounts_losses,
      "capability: counts exactly the events that it discards");
    v("asynchronous", &SinkUsed::asynchronous,
      "capability: a call may return before the event has left the provider process");
    v("survives", &SinkUsed::survives,
      "capability: what every accepted event survives: nothing, kill (the program's death) or "
      "crash "
      "(also the system's); absent in files of before it was declared");
    v("multi_threaded", &SinkUsed::multi_threaded,
      "capability: several threads may emit at once; absent in files of before it was recorded, as "
      "the next two");
    v("multi_process", &SinkUsed::multi_process,
      "capability: several processes may emit into one session at once");
    v("multi_session", &SinkUsed::multi_session,
      "capability: several sessions may get the events of one provider");
    v("own_sessions", &SinkUsed::own_sessions,
      "capability: each provider process may have a session of its own; absent in files of before "
      "it was recorded");
  }
};

struct ClockUsed {
  std::string kind;
  double frequency_hz = 0;
  double error_ppm = 0;
  double read_cost_ns = 0;
  double cross_core_offset_ns = 0;
  double cross_core_bound_ns = 0;
  double drift_against_monotonic_ppm = 0;
  double drift_against_realtime_ppm = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("kind", &ClockUsed::kind,
      "tsc, os_monotonic (CLOCK_MONOTONIC_RAW, QueryPerformanceCounter), or monotonic "
      "(CLOCK_MONOTONIC), which programs in other languages read");
    v("frequency_hz", &ClockUsed::frequency_hz, "measured ticks per second");
    v("error_ppm", &ClockUsed::error_ppm,
      "upper bound on the frequency's error relative to the operating system's clock, in parts per "
      "million");
    v("read_cost_ns", &ClockUsed::read_cost_ns, "median cost of one read");
    v("cross_core_offset_ns", &ClockUsed::cross_core_offset_ns,
      "largest offset seen between two processors");
    v("cross_core_bound_ns", &ClockUsed::cross_core_bound_ns, "uncertainty of that offset");
    v("drift_against_monotonic_ppm", &ClockUsed::drift_against_monotonic_ppm,
      "drift of the run clock against the OS's raw monotonic clock over the run; on some virtual "
      "machines both are the TSC, so this proves nothing");
    v("drift_against_realtime_ppm", &ClockUsed::drift_against_realtime_ppm,
      "drift of the run clock against the OS's wall clock over the run");
  }
};

struct Placement {
  std::vector<int> load_cpus;
  std::vector<int> controller_cpus;
  std::vector<int> consumer_cpus;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("load_cpus", &Placement::load_cpus,
      "processors of the load threads, assigned round-robin; empty: not bound");
    v("controller_cpus", &Placement::controller_cpus, "processors of the controller");
    v("consumer_cpus", &Placement::consumer_cpus, "processors of the consumer");
  }
};

struct Machine {
  std::string fingerprint;
  std::string os;
  std::string kernel;
  std::string cpu_model;
  unsigned logical_cpus = 0;
  std::uint64_t memory_bytes = 0;
  std::string hypervisor;
  std::vector<Setting> details;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("fingerprint", &Machine::fingerprint,
      "short hash of the fields that determine whether two results may be compared");
    v("os", &Machine::os,
      "name and version of the operating system; names Wine if the program runs under Wine");
    v("kernel", &Machine::kernel, "kernel release");
    v("cpu_model", &Machine::cpu_model, "processor model");
    v("logical_cpus", &Machine::logical_cpus, "processors that this program may use");
    v("memory_bytes", &Machine::memory_bytes, "main memory");
    v("hypervisor", &Machine::hypervisor, "hypervisor, or 'none seen'");
    v("details", &Machine::details,
      "further facts: frequency governor, SMT, isolated processors …");
  }
};

struct Build {
  std::string version;
  std::string revision;
  bool dirty = false;
  std::string compiler;
  std::string flags;
  std::string type;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("version", &Build::version, "of tailgate");
    v("revision", &Build::revision, "git revision, or 'unknown'");
    v("dirty", &Build::dirty, "whether the working tree differed from that revision");
    v("compiler", &Build::compiler, "compiler and its version");
    v("flags", &Build::flags, "compiler flags");
    v("type", &Build::type, "CMake build type");
  }
};

// All completed trials of one step together: quantiles of the merged histograms. Derived from the
// trials.
struct StepSummary {
  unsigned step = 0;
  double rate_hz = 0;
  double achieved_rate_hz = 0;
  unsigned trials = 0;
  bool saturated = false;
  std::optional<bool> saturated_by_machine;
  Latency service;
  Latency response;
  std::optional<Latency> delivery;
  unsigned controls = 0;
  std::vector<RoleOverhead> overhead;
  std::optional<Estimate> victim_slowdown_percent;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("step", &StepSummary::step, "the step");
    v("rate_hz", &StepSummary::rate_hz, "target rate; 0 for max");
    v("achieved_rate_hz", &StepSummary::achieved_rate_hz, "median over the completed trials");
    v("trials", &StepSummary::trials, "trials that completed");
    v("saturated", &StepSummary::saturated, "whether the median trial missed the target rate");
    v("saturated_by_machine", &StepSummary::saturated_by_machine,
      "whether that is the machine's fault: fewer trials missed the rate by the sink's fault than "
      "would make it the median one's. Absent where it is not saturated, and in files of before it "
      "was recorded");
    v("service", &StepSummary::service, "service times of all completed trials");
    v("response", &StepSummary::response, "response times of all completed trials");
    v("delivery", &StepSummary::delivery,
      "delivery latencies of all completed trials, if measured");
    v("controls", &StepSummary::controls,
      "trials that have a control trial. If above zero, the overhead is the difference to the "
      "control trials, and trials without one are not part of it",
      3);
    v("overhead", &StepSummary::overhead, "overhead by role; roles without a process are omitted",
      3);
    v("victim_slowdown_percent", &StepSummary::victim_slowdown_percent,
      "how much longer the victim's round took than in the control trials, in percent", 3);
  }
};

struct Result {
  std::string format = kResultFormat;
  int version = kResultVersion;
  std::string id;
  std::string started_utc;
  std::string finished_utc;
  bool complete = false;
  std::string label;
  ScenarioUsed scenario;
  SinkUsed sink;
  Placement placement;
  Machine machine;
  Build build;
  ClockUsed clock;
  std::vector<StepSummary> summary;
  std::vector<Trial> trials;
  std::vector<Trial> controls;
  bool explained = false;
  std::vector<Trial> traced;
  std::optional<std::vector<Trial>> set_aside;
  std::vector<Disturbance> disturbance;
  std::vector<Remark> remarks;
  std::optional<Answer> answer;
  std::optional<std::vector<Resumption>> resumed;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Result::format, "always 'tailgate-result'");
    v("version", &Result::version, "version of this schema");
    v("id", &Result::id, "random, one per run");
    v("started_utc", &Result::started_utc, "ISO 8601");
    v("finished_utc", &Result::finished_utc, "ISO 8601");
    v("complete", &Result::complete, "false if the run ended before its last trial");
    v("label", &Result::label,
      "restriction on the use of the figures, to be shown wherever they are shown ('Wine: smoke, "
      "not Windows'); empty for none");
    v("scenario", &Result::scenario, "the scenario that was run");
    v("sink", &Result::sink, "the sink against which it was run");
    v("placement", &Result::placement, "which processors each role ran on");
    v("machine", &Result::machine, "the machine");
    v("build", &Result::build, "the program that measured");
    v("clock", &Result::clock, "the run clock");
    v("summary", &Result::summary, "per step; derived from the trials");
    v("trials", &Result::trials, "every trial, in the order of execution");
    v("controls", &Result::controls,
      "trials of the same load on the null sink, each paired with the trial of the same index; the "
      "runs of one command share them. Empty if the run was told to omit them",
      3);
    v("explained", &Result::explained,
      "whether traced trials alternated with the trials; such a result is not a baseline for "
      "results without a trace",
      3);
    v("traced", &Result::traced,
      "trials of the same load under the trace that explains their slow calls, each paired with "
      "the trial of the same index; they are part of no other figure of this result",
      3);
    v("set_aside", &Result::set_aside,
      "trials of attempts at a step that was run again, because it missed its rate by the "
      "machine's fault, in the order of execution and without intervals; they are part of no other "
      "figure of this result. Trials of the attempt that was kept have the same indexes. Absent "
      "where no step was run again");
    v("disturbance", &Result::disturbance,
      "how the trace changed the latencies, by step; derived from trials and traced", 3);
    v("remarks", &Result::remarks, "what a reader of this result must know");
    v("answer", &Result::answer,
      "what the scenario answers, derived from the trials; absent if it asks nothing");
    v("resumed", &Result::resumed,
      "where the run went on after it had been interrupted; absent if it never did");
  }
};

}  // namespace tailgate
