// What the file of a duet contains: two sides, each a sink, a configuration or a build, that took
// turns on one processor. As in result.h, the `describe` functions are the schema, and a change
// that an old reader would misread raises kDuetVersion.
//
// A round is the unit of replication: fresh processes of both sides, alive together, that alternate
// in short slices. Only differences within a round are steady enough to judge by; what one round's
// figures are in absolute terms follows the machine's mood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace tailgate {

inline constexpr int kDuetVersion = 1;
inline constexpr const char* kDuetFormat = "tailgate-duet";

// One side of one round: all its slices together, without the first events of each.
struct DuetSide {
  std::string outcome;
  std::string outcome_detail;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  Latency service;
  Latency response;
  Latency raw_service;
  Latency raw_response;
  double trimmed_mean_ns = 0;
  std::uint64_t preempted = 0;
  std::uint64_t blocked = 0;
  std::uint64_t slow = 0;
  std::uint64_t over_100us = 0;
  std::uint64_t over_1ms = 0;
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> daemon_cpu_ns;
  std::uint64_t spun_ns = 0;
  std::uint64_t cpu_events = 0;
  std::optional<std::uint64_t> rss_bytes;
  LedgerAccount ledger;
  double achieved_rate_hz = 0;
  bool rate_missed = false;
  std::uint64_t drains = 0;
  std::uint64_t drain_ns = 0;
  std::uint64_t drains_cut_short = 0;
  std::optional<double> carry_over;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("outcome", &DuetSide::outcome,
      "completed, failed (the sink reported an error), crashed, killed, hung or interrupted");
    v("outcome_detail", &DuetSide::outcome_detail,
      "the error, the signal, the call that hung; or empty");
    v("events", &DuetSide::events, "calls in the distributions below");
    v("dropped", &DuetSide::dropped,
      "calls at the beginning of slices that are left out of them, those of warm-up slices not "
      "counted");
    v("service", &DuetSide::service,
      "service times, classified: a call during which the thread was preempted and did not block "
      "counts as the round's median");
    v("response", &DuetSide::response,
      "response times as if the thread had never been preempted: from the intended start to "
      "end = max(intended start, previous end) + classified service time. For max it equals "
      "service");
    v("raw_service", &DuetSide::raw_service, "service times as the clock saw them");
    v("raw_response", &DuetSide::raw_response, "response times as the clock saw them");
    v("trimmed_mean_ns", &DuetSide::trimmed_mean_ns,
      "mean of the classified service times up to their 99th percentile");
    v("preempted", &DuetSide::preempted,
      "calls longer than 20 us in which the thread was switched away from involuntarily and did "
      "not block");
    v("blocked", &DuetSide::blocked, "calls longer than 20 us in which the thread blocked");
    v("slow", &DuetSide::slow,
      "all calls longer than 20 us, of whatever kind; kinds are told apart where the duet says "
      "that it classified");
    v("over_100us", &DuetSide::over_100us, "classified service times above 100 us");
    v("over_1ms", &DuetSide::over_1ms, "classified service times above 1 ms");
    v("cpu_ns", &DuetSide::cpu_ns,
      "processor time of the provider process and of the session's daemons, from after the warm-up "
      "until the last slice had been drained; spun_ns is in it");
    v("daemon_cpu_ns", &DuetSide::daemon_cpu_ns,
      "of that the daemons', with what they used for late events while they stopped; absent "
      "without any");
    v("spun_ns", &DuetSide::spun_ns,
      "processor time that the load thread spent awake waiting for intended times, without what "
      "other threads had of it: to be taken off cpu_ns");
    v("cpu_events", &DuetSide::cpu_events, "calls made while cpu_ns was counted");
    v("rss_bytes", &DuetSide::rss_bytes,
      "memory in RAM of the provider process and the daemons after the last slice");
    v("ledger", &DuetSide::ledger, "what became of every event of the round");
    v("achieved_rate_hz", &DuetSide::achieved_rate_hz,
      "calls / time, over the measured slices, as the clock saw it");
    v("rate_missed", &DuetSide::rate_missed,
      "the sink could not keep up: events were never issued, or the slices would have taken more "
      "than 1 % longer than they were meant to even had the thread never been preempted (never for "
      "max)");
    v("drains", &DuetSide::drains, "barriers at the ends of slices");
    v("drain_ns", &DuetSide::drain_ns, "time that they took together (duration)");
    v("drains_cut_short", &DuetSide::drains_cut_short,
      "of them those that were given up because the time was up");
    v("carry_over", &DuetSide::carry_over,
      "what the other side leaves behind: logarithm of (trimmed mean of the beginnings of slices "
      "that follow one of the other side / of those that follow one of this side); absent with too "
      "few of either");
  }
};

struct DuetRound {
  unsigned index = 0;
  bool a_started_first = false;
  std::string slice_order;
  std::string started_utc;
  std::uint64_t duration_ns = 0;
  DuetSide a;
  DuetSide b;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("index", &DuetRound::index, "number of the round, from 0");
    v("a_started_first", &DuetRound::a_started_first,
      "the coin: whose session and processes started first");
    v("slice_order", &DuetRound::slice_order,
      "one letter a slice, 'A' or 'B', in the order they ran, warm-up slices left out; a coin for "
      "each pair");
    v("started_utc", &DuetRound::started_utc, "when the first slice started, ISO 8601");
    v("duration_ns", &DuetRound::duration_ns,
      "of the whole round, with starting, draining, stopping and reading back");
    v("a", &DuetRound::a, "side A");
    v("b", &DuetRound::b, "side B");
    v("remarks", &DuetRound::remarks, "what a reader of this round must know");
  }
};

// What one side is.
struct DuetSubject {
  std::string label;
  std::string program;
  Build build;
  SinkUsed sink;
  ScenarioUsed scenario;
  Load load;
  std::vector<Setting> granted;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("label", &DuetSubject::label, "what to call it in tables and plots");
    v("program", &DuetSubject::program,
      "the tailgate whose provider and consumer processes ran, as given; empty: the one that ran "
      "the duet");
    v("build", &DuetSubject::build, "that program's");
    v("sink", &DuetSubject::sink, "the sink");
    v("scenario", &DuetSubject::scenario, "the scenario");
    v("load", &DuetSubject::load, "the load; duration_s is that of all slices of a round");
    v("granted", &DuetSubject::granted,
      "settings that the sink really ran with, asked of it in the first round");
  }
};

struct Duet {
  std::string format = kDuetFormat;
  int version = kDuetVersion;
  std::string id;
  std::string started_utc;
  std::string finished_utc;
  bool complete = false;
  std::string label;
  DuetSubject a;
  DuetSubject b;
  Placement placement;
  Machine machine;
  Build build;
  ClockUsed clock;
  std::uint64_t seed = 0;
  unsigned planned_rounds = 0;
  std::uint64_t slice_ns = 0;
  unsigned slices = 0;
  unsigned warmup_slices = 0;
  unsigned dropped_per_slice = 0;
  std::string drain;
  std::string classified;
  bool explained = false;
  std::vector<DuetRound> rounds;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Duet::format, "always 'tailgate-duet'");
    v("version", &Duet::version, "of this schema");
    v("id", &Duet::id, "random, one per duet");
    v("started_utc", &Duet::started_utc, "ISO 8601");
    v("finished_utc", &Duet::finished_utc, "ISO 8601");
    v("complete", &Duet::complete,
      "all planned rounds were run, or as many as were needed; false when the user interrupted");
    v("label", &Duet::label,
      "restriction on use that must be shown wherever the figures are ('Wine: smoke, not "
      "Windows'); empty for none");
    v("a", &Duet::a, "side A, as a rule what was before");
    v("b", &Duet::b, "side B, as a rule what was changed");
    v("placement", &Duet::placement,
      "who ran where; both sides' load thread on the one load processor");
    v("machine", &Duet::machine, "the machine");
    v("build", &Duet::build,
      "the program that ran the duet: controller and sessions of both sides");
    v("clock", &Duet::clock, "the clock");
    v("seed", &Duet::seed, "of every coin: which side starts first, and the order in each pair");
    v("planned_rounds", &Duet::planned_rounds, "rounds that were asked for at most");
    v("slice_ns", &Duet::slice_ns, "length of a slice (duration)");
    v("slices", &Duet::slices, "measured slices of each side in a round");
    v("warmup_slices", &Duet::warmup_slices, "slices of each side before them");
    v("dropped_per_slice", &Duet::dropped_per_slice,
      "events at the beginning of each slice that are left out of the figures");
    v("drain", &Duet::drain,
      "what ends a slice before the other side's turn: none (the calls themselves are all there "
      "is), or delivered (until its consumer has seen its events, or its processes are idle)");
    v("classified", &Duet::classified,
      "how slow calls were told apart: switches (by the thread's context switches), or none (the "
      "operating system does not count them by thread): then the classified times are the raw "
      "ones");
    v("explained", &Duet::explained, "the kernel's scheduling was traced meanwhile");
    v("rounds", &Duet::rounds, "every round, in the order they ran");
    v("remarks", &Duet::remarks, "what a reader of this duet must know");
  }
};

}  // namespace tailgate
