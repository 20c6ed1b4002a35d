// What a duet file contains: two sides, each a sink, a configuration or a build, that alternated on
// one processor. As in result.h, the `describe` functions are the schema. Raise kDuetVersion for a
// change that an old reader would misread.
//
// A round is the unit of replication: processes of both sides live at the same time and alternate
// in short turns. Only differences within a round are stable enough to judge by; a round's absolute
// figures depend on the machine's state at that time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/difference.h"
#include "harness/result/duet_part.h"
#include "harness/result/result.h"

namespace tailgate {

inline constexpr int kDuetVersion = 3;
inline constexpr const char* kDuetFormat = "tailgate-duet";

// One load thread of a side with several.
struct DuetThread {
  std::uint64_t events = 0;
  std::uint64_t response_ns_p50 = 0;
  std::uint64_t response_ns_p99 = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("events", &DuetThread::events, "number of its calls in the distributions");
    v("response_ns_p50", &DuetThread::response_ns_p50, "median of their response times");
    v("response_ns_p99", &DuetThread::response_ns_p99, "99th percentile of their response times");
  }
};

// One side of one round: all its turns together, without the first events of each turn.
struct DuetSide {
  TrialOutcome outcome = TrialOutcome::failed;
  std::string outcome_detail;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  Latency service;
  Latency response;
  Latency raw_service;
  Latency raw_response;
  double trimmed_mean_ns = 0;
  std::optional<double> tail_mean_ns;
  std::uint64_t preempted = 0;
  std::optional<std::uint64_t> stolen;
  std::uint64_t blocked = 0;
  std::uint64_t slow = 0;
  std::uint64_t over_100us = 0;
  std::uint64_t over_1ms = 0;
  std::optional<std::uint64_t> stalled_ns;
  std::optional<std::uint64_t> slow_running;
  std::optional<std::uint64_t> slow_running_ns;
  std::optional<std::uint64_t> probes;
  std::optional<std::uint64_t> cpu_ns;
  std::optional<std::uint64_t> daemon_cpu_ns;
  std::uint64_t spun_ns = 0;
  std::uint64_t cpu_events = 0;
  std::optional<std::uint64_t> rss_bytes;
  std::optional<std::uint64_t> start_ns;
  std::optional<std::uint64_t> stop_ns;
  std::optional<std::uint64_t> written_bytes;
  std::optional<std::uint64_t> system_calls;
  std::optional<std::uint64_t> system_call_events;
  LedgerAccount ledger;
  double achieved_rate_hz = 0;
  bool rate_missed = false;
  std::uint64_t drains = 0;
  std::uint64_t drain_ns = 0;
  std::uint64_t drains_cut_short = 0;
  std::optional<double> carry_over;
  std::optional<std::vector<DuetThread>> threads;

  template <class Visitor>
  static void describe(Visitor& v) {
    describe_calls(v);
    describe_stalls(v);
    describe_cost(v);
    describe_turns(v);
  }

 private:
  template <class Visitor>
  static void describe_calls(Visitor& v) {
    v("outcome", &DuetSide::outcome,
      "completed, failed (the sink reported an error), crashed, killed, hung or interrupted");
    v("outcome_detail", &DuetSide::outcome_detail,
      "the error, the signal or the call that hung; empty if completed");
    v("events", &DuetSide::events, "number of calls in the distributions below");
    v("dropped", &DuetSide::dropped,
      "number of calls at the beginning of measured turns that are left out of the distributions");
    v("service", &DuetSide::service,
      "classified service times: a call longer than 20 us that was preempted counts with the time "
      "in "
      "which the thread ran where that is more than 20 us, else as the round's median, as a stolen "
      "call does");
    v("response", &DuetSide::response,
      "response times as if the thread had never lost its processor: from the intended start to "
      "the "
      "end, which is max(intended start, previous end) + classified service time. For max it "
      "equals service");
    v("raw_service", &DuetSide::raw_service, "service times as measured, not classified");
    v("raw_response", &DuetSide::raw_response, "response times as measured, not classified");
    v("trimmed_mean_ns", &DuetSide::trimmed_mean_ns,
      "mean of the classified service times up to their 99th percentile");
    v("tail_mean_ns", &DuetSide::tail_mean_ns,
      "mean of the response times from their 99th percentile to their 99.9th; absent where fewer "
      "than ten calls are there, and in older files");
  }

  template <class Visitor>
  static void describe_stalls(Visitor& v) {
    v("preempted", &DuetSide::preempted,
      "calls longer than 20 us during which the thread was preempted and did not block");
    v("stolen", &DuetSide::stolen,
      "calls longer than 20 us, neither preempted nor blocked, of which the hypervisor took more "
      "than a fifth; none where the kernel does not take that off a thread's processor time, or "
      "also "
      "takes off interrupts; absent in older files");
    v("blocked", &DuetSide::blocked, "calls longer than 20 us during which the thread blocked");
    v("slow", &DuetSide::slow,
      "all calls longer than 20 us; the duet's field 'classified' says whether preempted and "
      "blocked calls are told apart");
    v("over_100us", &DuetSide::over_100us, "classified service times above 100 us");
    v("over_1ms", &DuetSide::over_1ms,
      "classified service times above 1 ms, those of dropped calls and of probes too");
    v("stalled_ns", &DuetSide::stalled_ns,
      "sum of the classified service times above 1 ms, those of dropped calls and of probes too; "
      "absent in older files");
    v("slow_running", &DuetSide::slow_running,
      "classified service times above 100 us of calls in which the thread did not block, those of "
      "dropped calls too; absent in older files");
    v("slow_running_ns", &DuetSide::slow_running_ns, "sum of these times; absent in older files");
    v("probes", &DuetSide::probes,
      "number of probes: single calls that a long round made between its visits; they count as "
      "stalls where they take longer than 1 ms, and in no other figure but the ledger; absent in "
      "older files");
  }

  // Of provider process and daemons.
  template <class Visitor>
  static void describe_cost(Visitor& v) {
    v("cpu_ns", &DuetSide::cpu_ns,
      "processor time of the provider process and of the session's daemons, from after the warm-up "
      "until the last turn had been drained; it includes spun_ns");
    v("daemon_cpu_ns", &DuetSide::daemon_cpu_ns,
      "part of cpu_ns that the daemons used, including the time for late events while they "
      "stopped; absent without daemons");
    v("spun_ns", &DuetSide::spun_ns,
      "processor time that the load thread spent spinning until intended times; subtract it from "
      "cpu_ns");
    v("cpu_events", &DuetSide::cpu_events, "number of calls made while cpu_ns was counted");
    v("rss_bytes", &DuetSide::rss_bytes,
      "resident memory of the provider process and the daemons after the last turn");
    v("start_ns", &DuetSide::start_ns,
      "time to start the session and to open the sink, warm-up of the load thread included, "
      "without the start of the provider process; absent in older files, as the next four");
    v("stop_ns", &DuetSide::stop_ns,
      "time to close the sink and to stop the session, after which all events can be read back");
    v("written_bytes", &DuetSide::written_bytes,
      "bytes that provider process and daemons passed to write calls while cpu_ns was counted: to "
      "files, pipes, and sockets that are written as files; not what goes by mapped memory, send "
      "calls or io_uring; absent where the system does not tell");
    v("system_calls", &DuetSide::system_calls,
      "system calls of provider process and daemons in the warm-up turns but the first, "
      "without the harness's own; absent where they could not be counted");
    v("system_call_events", &DuetSide::system_call_events,
      "number of calls made while system_calls was counted; absent with them");
  }

  template <class Visitor>
  static void describe_turns(Visitor& v) {
    v("ledger", &DuetSide::ledger, "what became of every event of the round");
    v("achieved_rate_hz", &DuetSide::achieved_rate_hz,
      "calls / time over the measured turns, as measured");
    v("rate_missed", &DuetSide::rate_missed,
      "whether the sink could not keep up: events were never issued, or all turns but the latest "
      "one would have taken more than 1 % longer than planned even if the thread had never been "
      "lost its processor (never for max)");
    v("drains", &DuetSide::drains,
      "number of drains: waits at the end of a turn until the side's events are processed");
    v("drain_ns", &DuetSide::drain_ns, "time of all drains together (duration)");
    v("drains_cut_short", &DuetSide::drains_cut_short,
      "number of drains that ended at their time limit");
    v("carry_over", &DuetSide::carry_over,
      "effect that the other side leaves behind: logarithm of (trimmed mean at the beginnings of "
      "turns that follow a turn of the other side / the same of turns that follow a turn of this "
      "side); absent if there are too few of either");
    v("threads", &DuetSide::threads,
      "the load threads, one by one; absent where there is one, and in older files");
  }
};

struct DuetRound {
  unsigned index = 0;
  bool a_started_first = false;
  std::optional<bool> a_made_first;
  std::optional<unsigned> layout_pair;
  std::string turn_order;
  std::string started_utc;
  std::uint64_t duration_ns = 0;
  std::optional<std::uint64_t> age_ns;
  std::optional<std::uint64_t> visits;
  std::optional<std::uint64_t> stolen_ns;
  std::optional<Noise> noise;
  DuetSide a;
  DuetSide b;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("index", &DuetRound::index,
      "number of the round, from 0; its order follows from it and the seed");
    v("a_started_first", &DuetRound::a_started_first,
      "whether side A's session and processes started first, chosen at random");
    v("a_made_first", &DuetRound::a_made_first,
      "whether side A's shared memory and roles were made first, chosen at random apart from "
      "a_started_first; absent in older files, where they always were");
    v("layout_pair", &DuetRound::layout_pair,
      "number of the pair of layouts in memory that both builds had, from 0; rounds of one pair "
      "depend on each other; absent where each side had one layout");
    v("slice_order", &DuetRound::turn_order,
      "one letter per measured turn, 'A' or 'B', in the order of execution; the order within each "
      "pair is chosen at random");
    v("started_utc", &DuetRound::started_utc, "when the first turn started, ISO 8601");
    v("duration_ns", &DuetRound::duration_ns,
      "duration of the whole round, including start, drains, stop and reading back, without the "
      "time of other rounds between its visits");
    v("age_ns", &DuetRound::age_ns,
      "how long its processes had lived at the end of the last turn (duration): since the first of "
      "them started; absent in older files, and where no turn was taken");
    v("visits", &DuetRound::visits,
      "in how many parts it took its turns: a fresh round in one, a long round in several with "
      "other "
      "rounds between them; absent in older files");
    v("stolen_ns", &DuetRound::stolen_ns,
      "time during the measured turns in which the hypervisor ran something else on a processor of "
      "the machine that had work; absent where the system does not count it");
    v("noise", &DuetRound::noise,
      "what a thread saw that only read the clock on the load's processor before the round's "
      "processes started; absent where the load is not bound to a processor");
    v("a", &DuetRound::a, "side A");
    v("b", &DuetRound::b, "side B");
    v("remarks", &DuetRound::remarks, "what a reader of this round must know");
  }
};

// What one side consists of.
struct DuetSubject {
  std::string label;
  std::string program;
  Build build;
  SinkUsed sink;
  ScenarioUsed scenario;
  Load load;
  std::vector<Setting> granted;
  std::optional<unsigned> layouts;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("label", &DuetSubject::label, "its name in tables and plots");
    v("program", &DuetSubject::program,
      "path of the tailgate program that ran the provider and consumer processes, as given; empty: "
      "the program that ran the duet");
    v("build", &DuetSubject::build, "the build of that program");
    v("sink", &DuetSubject::sink, "the sink");
    v("scenario", &DuetSubject::scenario, "the scenario");
    v("load", &DuetSubject::load,
      "the load; duration_s is the duration of all measured turns of a round");
    v("granted", &DuetSubject::granted,
      "settings that the sink reports it ran with, in the first round");
    v("layouts", &DuetSubject::layouts,
      "number of layouts in memory of the side's build, of which each round had one; absent: one");
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
  std::optional<unsigned> long_rounds;
  std::optional<unsigned> generation_rounds;
  std::uint64_t turn_ns = 0;
  unsigned turns = 0;
  unsigned warmup_turns = 0;
  unsigned dropped_per_turn = 0;
  std::string drain;
  std::string classified;
  std::optional<std::vector<DuetPart>> parts;
  std::vector<DuetRound> rounds;
  std::optional<Difference> difference;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &Duet::format, "always 'tailgate-duet'");
    v("version", &Duet::version, "version of this schema");
    v("id", &Duet::id, "random, one per duet");
    v("started_utc", &Duet::started_utc, "ISO 8601");
    v("finished_utc", &Duet::finished_utc, "ISO 8601");
    v("complete", &Duet::complete,
      "whether all planned rounds were run, or as many as were needed; false if the user "
      "interrupted");
    v("label", &Duet::label,
      "restriction on the use of the figures, to be shown wherever they are shown ('Wine: smoke, "
      "not Windows'); empty for none");
    v("a", &Duet::a, "side A, usually before the change");
    v("b", &Duet::b, "side B, usually after the change");
    v("placement", &Duet::placement,
      "which processors each role ran on; both sides' load threads ran on the same processors, "
      "the first thread of each on the first, and so on");
    v("machine", &Duet::machine, "the machine");
    v("build", &Duet::build,
      "the program that ran the duet: controller and sessions of both sides");
    v("clock", &Duet::clock, "the run clock");
    v("seed", &Duet::seed,
      "seed of all random choices: which side starts first, and the order within each pair");
    v("planned_rounds", &Duet::planned_rounds, "maximum number of rounds");
    v("long_rounds", &Duet::long_rounds,
      "how many of 15 rounds were planned to be long ones, which begin before the others and end "
      "after them; absent in older files, where none was");
    v("generation_rounds", &Duet::generation_rounds,
      "how many rounds run together as a generation, or more: between the first of them and the "
      "last the long ones live; the gate looks at no fewer rounds; absent in older files, where it "
      "was 15");
    v("slice_ns", &Duet::turn_ns, "length of a turn (duration)");
    v("slices", &Duet::turns, "number of measured turns of each side in a round");
    v("warmup_slices", &Duet::warmup_turns,
      "number of turns of each side before them, which are not measured");
    v("dropped_per_slice", &Duet::dropped_per_turn,
      "number of events at the beginning of each turn that are left out of the figures");
    v("drain", &Duet::drain,
      "how a side is drained before the other side's turn: none (its calls leave no work behind), "
      "or delivered (wait until its consumer has seen its events, or its processes are idle)");
    v("classified", &Duet::classified,
      "how slow calls were classified: switches (by the thread's context switches), or none (the "
      "operating system does not count them by thread; the classified times then equal the raw "
      "ones)");
    v("parts", &Duet::parts,
      "the duet's parts: one, and one more each time that it was resumed; absent in older files, "
      "which have one part that stopped");
    v("rounds", &Duet::rounds, "every round, in the order in which they ended");
    v("difference", &Duet::difference,
      "why the sides differ, from traced rounds after these; absent where it was not asked for, "
      "and "
      "in older files");
    v("remarks", &Duet::remarks, "what a reader of this duet must know");
  }
};

}  // namespace tailgate
