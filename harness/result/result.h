// What a result file contains. These structs are the schema: each lists its fields, with the
// comment that documents them, in one `describe` function, from which the JSON reader, the JSON
// writer, results/schema.json and the tables of results/README.md all follow.
//
// Times that end in _ns count on the run clock (nanoseconds since the run's start) unless they are
// durations; the comment says which. Rates are events per second. A field that was not measured is
// absent (std::optional), never zero.
//
// A change that an old reader would misread raises kResultVersion; a field that an old file lacks
// says since which version it is there (fourth argument of the visitor) and keeps its default when
// an older file is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/explanation.h"
#include "harness/result/overhead.h"

namespace tailgate {

inline constexpr int kResultVersion = 3;
inline constexpr const char* kResultFormat = "tailgate-result";

// Named settings in the order in which their table declares them.
struct Setting {
  std::string name;
  std::string value;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &Setting::name, "the option's name");
    v("value", &Setting::value, "its value as text, resolved");
  }
};

// A distribution of durations, with the digest that people look up most.
struct Latency {
  std::uint64_t count = 0;
  std::uint64_t min_ns = 0;
  double mean_ns = 0;
  std::uint64_t p50_ns = 0;
  std::uint64_t p90_ns = 0;
  std::uint64_t p99_ns = 0;
  std::uint64_t p99_9_ns = 0;
  std::uint64_t p99_99_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t overflow = 0;
  std::string hdr;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("count", &Latency::count, "values recorded, those above the range included");
    v("min_ns", &Latency::min_ns, "smallest value, to the histogram's precision");
    v("mean_ns", &Latency::mean_ns, "arithmetic mean of the recorded values");
    v("p50_ns", &Latency::p50_ns, "median");
    v("p90_ns", &Latency::p90_ns, "90th percentile");
    v("p99_ns", &Latency::p99_ns, "99th percentile");
    v("p99_9_ns", &Latency::p99_9_ns, "99.9th percentile");
    v("p99_99_ns", &Latency::p99_99_ns, "99.99th percentile");
    v("max_ns", &Latency::max_ns, "largest value, to the histogram's precision");
    v("overflow", &Latency::overflow,
      "values above the histogram's range: counted at the range's end; above zero, the maximum is "
      "a lower bound");
    v("hdr", &Latency::hdr,
      "the whole distribution: HdrHistogram V2 encoding, zlib-compressed, base64; unit ns");
  }
};

// The shape of the load, as the scenario planned it for one step.
struct Load {
  std::string shape;
  double rate_hz = 0;
  double end_rate_hz = 0;
  std::uint64_t burst_events = 0;
  double burst_gap_s = 0;
  unsigned threads = 1;
  std::string payload;
  double warmup_s = 0;
  double duration_s = 0;
  std::uint64_t events = 0;
  std::string pacing;
  std::uint64_t seed = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("shape", &Load::shape, "steady, poisson, burst, ramp (open loop) or max (closed loop)");
    v("rate_hz", &Load::rate_hz,
      "target events per second, all threads together; ramp: at the start; 0 for max");
    v("end_rate_hz", &Load::end_rate_hz,
      "ramp only: target rate at the end; else equal to rate_hz");
    v("burst_events", &Load::burst_events, "burst only: events per burst and thread; else 0");
    v("burst_gap_s", &Load::burst_gap_s,
      "burst only: time between the starts of two bursts of one thread, in seconds; else 0");
    v("threads", &Load::threads, "load threads");
    v("payload", &Load::payload,
      "event size in bytes, header included: a number, 'uniform(a,b)' or 'lognormal(p50,p99)'");
    v("warmup_s", &Load::warmup_s, "seconds of load before recording starts");
    v("duration_s", &Load::duration_s, "seconds of recorded load; 0: by event count");
    v("events", &Load::events, "recorded events, all threads together; 0: by duration");
    v("pacing", &Load::pacing,
      "how a load thread waits for the intended time: spin, hybrid, sleep");
    v("seed", &Load::seed, "of everything random in the schedule and the payload");
  }
};

struct LossCount {
  std::string cause;
  std::string reported_by;
  std::uint64_t events = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("cause", &LossCount::cause, "the sink's own name for why");
    v("reported_by", &LossCount::reported_by, "call (refused), provider, session or consumer");
    v("events", &LossCount::events, "events lost to it");
  }
};

// emitted = delivered + lost + unaccounted.
struct LedgerAccount {
  bool checked = false;
  std::uint64_t emitted = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  std::int64_t unaccounted = 0;
  std::vector<LossCount> losses;
  std::uint64_t duplicates = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t damaged_bytes = 0;
  std::uint64_t foreign = 0;
  std::uint64_t in_flight = 0;
  std::string unaccounted_cause;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("checked", &LedgerAccount::checked,
      "whether events were read back; when false only emitted and the reported losses are known, "
      "and delivered and unaccounted are 0 without meaning");
    v("emitted", &LedgerAccount::emitted,
      "calls to the sink, warm-up included, whether it took the event or not");
    v("delivered", &LedgerAccount::delivered,
      "different events that the consumer read back intact");
    v("lost", &LedgerAccount::lost, "events that the sink reports as lost: the sum of losses");
    v("unaccounted", &LedgerAccount::unaccounted,
      "emitted - delivered - lost: above zero, events vanished without a report; below zero, the "
      "sink reports losses of events that were delivered. Not zero: the trial is invalid");
    v("losses", &LedgerAccount::losses, "by cause");
    v("duplicates", &LedgerAccount::duplicates, "events read back again");
    v("reordered", &LedgerAccount::reordered,
      "events that came after a later one of the same thread");
    v("corrupted", &LedgerAccount::corrupted,
      "events whose header or body was not as emitted; not in delivered");
    v("damaged_bytes", &LedgerAccount::damaged_bytes,
      "bytes read back that could not be taken apart into events");
    v("foreign", &LedgerAccount::foreign, "events read back that this trial did not emit");
    v("in_flight", &LedgerAccount::in_flight,
      "calls that had begun and not returned when the provider died; such an event counts as "
      "emitted only when it was delivered");
    v("unaccounted_cause", &LedgerAccount::unaccounted_cause,
      "what is known about why events are unaccounted; empty when there are none");
  }
};

// One of the slowest calls of a trial.
struct SlowCall {
  unsigned thread = 0;
  std::uint64_t sequence = 0;
  std::uint64_t intended_ns = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  int cpu = -1;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("thread", &SlowCall::thread, "load thread");
    v("sequence", &SlowCall::sequence, "the event's number in that thread");
    v("intended_ns", &SlowCall::intended_ns, "when the schedule wanted the call to start");
    v("start_ns", &SlowCall::start_ns, "when it started");
    v("end_ns", &SlowCall::end_ns, "when it returned");
    v("cpu", &SlowCall::cpu, "processor on which it returned; -1 where that cannot be told");
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
    v("roles", &Interval::roles, "what each role used in between; empty where it was not sampled",
      3);
  }
};

// Time that an idle spinning thread did not get: the machine's own noise.
struct Noise {
  std::uint64_t observed_ns = 0;
  std::uint64_t gaps_over_10us = 0;
  std::uint64_t gaps_over_100us = 0;
  std::uint64_t gaps_over_1ms = 0;
  std::uint64_t max_gap_ns = 0;
  double lost_share = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("observed_ns", &Noise::observed_ns, "how long the load's processor was watched (duration)");
    v("gaps_over_10us", &Noise::gaps_over_10us, "gaps longer than 10 us");
    v("gaps_over_100us", &Noise::gaps_over_100us, "gaps longer than 100 us");
    v("gaps_over_1ms", &Noise::gaps_over_1ms, "gaps longer than 1 ms");
    v("max_gap_ns", &Noise::max_gap_ns, "the longest gap (duration)");
    v("lost_share", &Noise::lost_share, "share of the time spent in gaps over 10 us, 0 to 1");
  }
};

// The harness's own cost, measured by the same loop on the null sink before each trial.
struct Floor {
  Latency service;
  double loop_ns = 0;
  double two_clock_reads_ns = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("service", &Floor::service, "service time of a call that does nothing");
    v("loop_ns", &Floor::loop_ns, "mean time of one whole turn of the emit loop, closed loop");
    v("two_clock_reads_ns", &Floor::two_clock_reads_ns,
      "mean time of two bare clock reads, the least that timing a call can cost");
  }
};

struct ConsumerReport {
  std::string mode;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0;
  double read_s = 0;
  double poll_interval_s = 0;
  std::optional<Latency> delivery;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("mode", &ConsumerReport::mode, "live (while the trial runs), after, or none");
    v("events", &ConsumerReport::events, "events handed over by the consumer, of any kind");
    v("bytes", &ConsumerReport::bytes, "their size in bytes");
    v("read_s", &ConsumerReport::read_s, "seconds spent reading and checking them");
    v("poll_interval_s", &ConsumerReport::poll_interval_s,
      "live: longest time between two looks when there was nothing to read, part of every delivery "
      "latency; else 0");
    v("delivery", &ConsumerReport::delivery,
      "delivery latency: consumer saw the event - call start; live mode only");
  }
};

// What one process that works for the session consumed.
struct DaemonUse {
  std::string name;
  std::optional<std::uint64_t> cpu_ns;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &DaemonUse::name, "the process's name");
    v("cpu_ns", &DaemonUse::cpu_ns,
      "processor time, user and system, from before the warm-up until the session was told to "
      "stop, and what it used after that for events that were still on their way; absent when the "
      "process had ended by then");
  }
};

// Why a trial may not be used as it stands.
struct Remark {
  std::string what;
  std::string remedy;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("what", &Remark::what, "what is wrong, with the value");
    v("remedy", &Remark::remedy, "what to do about it");
  }
};

struct Trial {
  unsigned index = 0;
  unsigned step = 0;
  std::uint32_t run = 0;
  Load load;
  std::string outcome;
  std::string outcome_detail;
  std::string started_utc;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t measured = 0;
  std::uint64_t unissued = 0;
  double achieved_rate_hz = 0;
  bool rate_missed = false;
  Latency service;
  Latency response;
  Latency start_lag;
  std::vector<Interval> intervals;
  std::vector<SlowCall> slowest;
  LedgerAccount ledger;
  ConsumerReport consumer;
  std::vector<DaemonUse> daemons;
  std::optional<Overhead> overhead;
  std::optional<VictimUse> victim;
  std::optional<Explanation> explanation;
  Noise noise;
  Floor floor;
  bool memory_locked = false;
  std::vector<Setting> granted;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("index", &Trial::index, "number of the trial in this run, from 0, in the order they ran");
    v("step", &Trial::step, "which step of the scenario (a sweep has one per rate), from 0");
    v("run", &Trial::run, "number stamped into every event of this trial");
    v("load", &Trial::load, "the load that was planned");
    v("outcome", &Trial::outcome,
      "completed, failed (the sink reported an error), crashed, killed, hung or interrupted");
    v("outcome_detail", &Trial::outcome_detail,
      "the error, the signal, the call that hung; or empty");
    v("started_utc", &Trial::started_utc, "when the load started, ISO 8601");
    v("start_ns", &Trial::start_ns, "when recording started");
    v("end_ns", &Trial::end_ns, "when the last load thread ended");
    v("measured", &Trial::measured, "events recorded in the histograms: all after the warm-up");
    v("unissued", &Trial::unissued,
      "events of the schedule that were never emitted because the sink was too slow and the time "
      "was up; above zero, the response quantiles are lower bounds");
    v("achieved_rate_hz", &Trial::achieved_rate_hz,
      "measured events / time that they took: from the start of recording to the last return, or "
      "to "
      "one mean gap past the last intended time if that is later");
    v("rate_missed", &Trial::rate_missed,
      "the achieved rate missed the target by more than 1 % (never for max)");
    v("service", &Trial::service, "service time: call return - call start");
    v("response", &Trial::response,
      "response time: call return - intended start; the headline figure. For max it equals "
      "service");
    v("start_lag", &Trial::start_lag, "schedule lag: call start - intended start");
    v("intervals", &Trial::intervals, "the same distributions cut into intervals");
    v("slowest", &Trial::slowest,
      "the calls of each thread with the longest service times, longest first");
    v("ledger", &Trial::ledger, "what became of every event");
    v("consumer", &Trial::consumer, "how the events were read back");
    v("daemons", &Trial::daemons, "the processes that worked for the session", 2);
    v("overhead", &Trial::overhead,
      "what each role used while the recorded load ran; absent when it never began", 3);
    v("victim", &Trial::victim, "how fast other work went beside the load; absent without any", 3);
    v("explanation", &Trial::explanation, "why its slow calls were slow; traced trials only", 3);
    v("noise", &Trial::noise,
      "gaps that an idle spin loop saw on the load's processor just before");
    v("floor", &Trial::floor,
      "the harness's own cost, measured in this trial's process just before");
    v("memory_locked", &Trial::memory_locked, "the provider's measuring memory was locked in RAM");
    v("granted", &Trial::granted, "settings that the sink really ran with, asked of it");
    v("remarks", &Trial::remarks, "what a reader of this trial must know");
  }
};

struct ScenarioUsed {
  std::string name;
  std::string preset;
  std::vector<Setting> options;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &ScenarioUsed::name, "steady, burst, sweep, max …");
    v("preset", &ScenarioUsed::preset,
      "name of the preset file that set its options; may be empty");
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

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &SinkUsed::name, "the sink");
    v("label", &SinkUsed::label, "the sink with its options as the user gave them");
    v("options", &SinkUsed::options, "every option as resolved");
    v("live_read", &SinkUsed::live_read, "capability: readable while the trial runs");
    v("read_back", &SinkUsed::read_back, "capability: readable after the trial");
    v("accounts_losses", &SinkUsed::accounts_losses, "capability: counts what it discards exactly");
    v("asynchronous", &SinkUsed::asynchronous,
      "capability: a call may return before the event has left the provider process");
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
      "tsc, or os_monotonic (CLOCK_MONOTONIC_RAW, QueryPerformanceCounter)");
    v("frequency_hz", &ClockUsed::frequency_hz, "ticks per second, as calibrated");
    v("error_ppm", &ClockUsed::error_ppm,
      "bound on the frequency's error against the operating system's clock, parts per million");
    v("read_cost_ns", &ClockUsed::read_cost_ns, "median cost of one read");
    v("cross_core_offset_ns", &ClockUsed::cross_core_offset_ns,
      "largest offset seen between two processors");
    v("cross_core_bound_ns", &ClockUsed::cross_core_bound_ns, "how well that offset could be told");
    v("drift_against_monotonic_ppm", &ClockUsed::drift_against_monotonic_ppm,
      "run clock against the OS's raw monotonic clock over the run; on some virtual machines both "
      "are the TSC and this proves nothing");
    v("drift_against_realtime_ppm", &ClockUsed::drift_against_realtime_ppm,
      "run clock against the OS's wall clock over the run");
  }
};

struct Placement {
  std::vector<int> load_cpus;
  std::vector<int> controller_cpus;
  std::vector<int> consumer_cpus;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("load_cpus", &Placement::load_cpus,
      "processors of the load threads, in turn; empty: not bound");
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
      "short hash of the fields that decide whether two results may be compared");
    v("os", &Machine::os, "operating system, name and version; names Wine where it is Wine");
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
    v("dirty", &Build::dirty, "the working tree differed from that revision");
    v("compiler", &Build::compiler, "compiler and its version");
    v("flags", &Build::flags, "compiler flags");
    v("type", &Build::type, "CMake build type");
  }
};

// All trials of one step together: quantiles of the merged histograms. Derived from the trials.
struct StepSummary {
  unsigned step = 0;
  double rate_hz = 0;
  double achieved_rate_hz = 0;
  unsigned trials = 0;
  bool saturated = false;
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
    v("saturated", &StepSummary::saturated, "the median trial missed the target rate");
    v("service", &StepSummary::service, "service times of all completed trials");
    v("response", &StepSummary::response, "response times of all completed trials");
    v("delivery", &StepSummary::delivery,
      "delivery latencies of all completed trials, if measured");
    v("controls", &StepSummary::controls,
      "trials that had a control trial beside them; above zero, the overhead is against these, and "
      "trials without one are not in it",
      3);
    v("overhead", &StepSummary::overhead, "by role; roles that had no process are left out", 3);
    v("victim_slowdown_percent", &StepSummary::victim_slowdown_percent,
      "by how much longer the victim took for a round than in the control trials", 3);
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
  std::vector<Disturbance> disturbance;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Result::format, "always 'tailgate-result'");
    v("version", &Result::version, "of this schema");
    v("id", &Result::id, "random, one per run");
    v("started_utc", &Result::started_utc, "ISO 8601");
    v("finished_utc", &Result::finished_utc, "ISO 8601");
    v("complete", &Result::complete, "false when the run was interrupted before its last trial");
    v("label", &Result::label,
      "restriction on use that must be shown wherever the figures are ('Wine: smoke, not "
      "Windows'); empty for none");
    v("scenario", &Result::scenario, "what was run");
    v("sink", &Result::sink, "against what");
    v("placement", &Result::placement, "who ran where");
    v("machine", &Result::machine, "the machine");
    v("build", &Result::build, "the program");
    v("clock", &Result::clock, "the clock");
    v("summary", &Result::summary, "per step; derived from the trials");
    v("trials", &Result::trials, "every trial, in the order they ran");
    v("controls", &Result::controls,
      "trials of the same load on the null sink, each run beside the trial whose index it has; "
      "runs of one command share them. Empty when the run was told to go without",
      3);
    v("explained", &Result::explained,
      "a trace ran in turn with the trials: no baseline for results without", 3);
    v("traced", &Result::traced,
      "trials of the same load under the trace that explains their slow calls, each run beside the "
      "trial whose index it has; nothing else in this result counts them",
      3);
    v("disturbance", &Result::disturbance,
      "what the trace changed, by step: derived from trials and traced", 3);
    v("remarks", &Result::remarks, "what a reader of this result must know");
  }
};

}  // namespace tailgate
