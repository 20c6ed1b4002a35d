// What the file of a duet of commands contains: two programs of the user's that ran in alternation,
// a run of each in every round. As in result.h, the `describe` functions are the schema. Raise
// kCommandDuetVersion for a change that an old reader would misread.
//
// A round is the unit of replication: both runs are fresh processes that follow each other at once,
// in an order that a coin decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/difference.h"
#include "harness/result/duet_part.h"
#include "harness/result/result.h"

namespace tailgate {

inline constexpr int kCommandDuetVersion = 1;
inline constexpr const char* kCommandDuetFormat = "tailgate-command-duet";

// A figure that a run printed.
struct CommandFigure {
  std::string name;
  std::string metric;
  std::string unit;
  bool headline = true;
  double value = 0;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("name", &CommandFigure::name, "benchmark and metric, as in harness/samples/README.md");
    v("metric", &CommandFigure::metric, "the metric alone");
    v("unit", &CommandFigure::unit, "its unit; empty: unknown");
    v("headline", &CommandFigure::headline, "whether it is judged unless the user says otherwise");
    v("value", &CommandFigure::value, "the run's value; of several of one figure the median");
  }
};

struct CommandRun {
  TrialOutcome outcome = TrialOutcome::failed;
  std::string outcome_detail;
  std::uint64_t wall_ns = 0;
  std::uint64_t cpu_ns = 0;
  std::vector<CommandFigure> figures;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("outcome", &CommandRun::outcome,
      "completed (exit code 0), failed (another exit code, or its figures could not be read), "
      "killed (by a signal), hung (ended at the time limit) or interrupted");
    v("outcome_detail", &CommandRun::outcome_detail,
      "exit code or signal, and where its output is; empty if completed");
    v("wall_ns", &CommandRun::wall_ns, "time from before its start to its end (duration)");
    v("cpu_ns", &CommandRun::cpu_ns,
      "processor time, user and system, of its processes as far as it waited for them");
    v("figures", &CommandRun::figures,
      "what it printed, or its timed calls; empty without a format and calls");
  }
};

struct CommandRound {
  unsigned index = 0;
  bool a_first = false;
  std::optional<unsigned> layout_pair;
  std::string started_utc;
  CommandRun a;
  CommandRun b;

  bool is_completed() const {
    return a.outcome == TrialOutcome::completed && b.outcome == TrialOutcome::completed;
  }

  template <class Visitor>
  static void describe(Visitor& v) {
    v("index", &CommandRound::index, "number of the round, from 0");
    v("a_first", &CommandRound::a_first, "whether A ran before B, chosen at random");
    v("layout_pair", &CommandRound::layout_pair,
      "number of the pair of layouts in memory that both builds had, from 0; absent where each "
      "side "
      "had one layout");
    v("started_utc", &CommandRound::started_utc, "when its first run started, ISO 8601");
    v("a", &CommandRound::a, "the run of A");
    v("b", &CommandRound::b, "the run of B");
  }
};

struct CommandSubject {
  std::string label;
  std::string command;
  std::optional<unsigned> layouts;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("label", &CommandSubject::label, "its name in tables");
    v("command", &CommandSubject::command,
      "the line for the shell, as given; {out} stands for a file that each run writes");
    v("layouts", &CommandSubject::layouts,
      "number of layouts in memory of the side's build, of which each round had one; absent: one");
  }
};

struct CommandDuet {
  std::string format = kCommandDuetFormat;
  int version = kCommandDuetVersion;
  std::string id;
  std::string started_utc;
  std::string finished_utc;
  bool complete = false;
  std::string label;
  CommandSubject a;
  CommandSubject b;
  std::string reads;
  Placement placement;
  Machine machine;
  Build build;
  std::uint64_t seed = 0;
  unsigned planned_rounds = 0;
  double timeout_s = 0;
  std::optional<std::vector<DuetPart>> parts;
  std::vector<CommandRound> rounds;
  std::optional<Difference> difference;
  std::vector<Remark> remarks;

  template <class Visitor>
  static void describe(Visitor& v) {
    v("format", &CommandDuet::format, "always 'tailgate-command-duet'");
    v("version", &CommandDuet::version, "version of this schema");
    v("id", &CommandDuet::id, "random, one per duet");
    v("started_utc", &CommandDuet::started_utc, "ISO 8601");
    v("finished_utc", &CommandDuet::finished_utc, "ISO 8601");
    v("complete", &CommandDuet::complete,
      "whether all planned rounds were run, or as many as were needed");
    v("label", &CommandDuet::label,
      "restriction on the use of the figures, to be shown wherever they are shown; empty for none");
    v("a", &CommandDuet::a, "side A, usually before the change");
    v("b", &CommandDuet::b, "side B, usually after the change");
    v("reads", &CommandDuet::reads,
      "format of what the commands print (--from), or how which of their calls were timed "
      "(--calls), as preload:write; empty: wall_ns and cpu_ns are the figures");
    v("placement", &CommandDuet::placement,
      "processors of the controller, and as load_cpus of both commands");
    v("machine", &CommandDuet::machine, "the machine");
    v("build", &CommandDuet::build, "the tailgate that ran the duet");
    v("seed", &CommandDuet::seed, "seed of the coins that decide who runs first");
    v("planned_rounds", &CommandDuet::planned_rounds, "maximum number of rounds");
    v("timeout_s", &CommandDuet::timeout_s, "limit of each run, in seconds (duration)");
    v("parts", &CommandDuet::parts,
      "the duet's parts: one, and one more each time that it was resumed; absent in older files, "
      "which have one part that stopped");
    v("rounds", &CommandDuet::rounds, "every round, in the order of execution");
    v("difference", &CommandDuet::difference,
      "why the sides differ, by traced rounds after these; absent if there were none");
    v("remarks", &CommandDuet::remarks, "what a reader of this duet must know");
  }
};

}  // namespace tailgate
