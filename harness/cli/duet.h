// `tailgate duet`: measures two sides against each other, and writes one file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/duet_command.h"
#include "harness/cli/surroundings.h"
#include "harness/run/catalog.h"
#include "harness/run/duet/duet_plan.h"
#include "harness/run/duet/layouts.h"

namespace tailgate {

struct SideArguments {
  std::string subject;  // sink with options, or a result file
  std::string program;
  std::string label;
  std::string directory = {};  // where a command starts; empty: in this process's folder
  SideLayouts layouts = {};
};

struct DuetArguments {
  SideArguments a;
  SideArguments b;
  std::string scenario;
  std::vector<std::string> settings;
  std::optional<unsigned> rounds;  // without: 20, or as many as the policy looks at most
  std::uint64_t seed = 1;
  std::optional<unsigned> long_rounds = {};  // without: kLongRounds
  std::optional<double> turn_ms;
  std::optional<unsigned> turns;
  unsigned warmup_turns = TurnWishes{}.warmup_turns;
  std::string out = "duet.json";
  std::string consume = "auto";
  PlacementArguments placement;
  std::string scratch;
  double hang_timeout_s = 10;
  bool rounds_shown = false;
  bool keep = false;
  bool force = false;
  bool quiet = false;
  bool gate = false;
  std::string policy;
  std::optional<double> time_budget_s = {};  // in place of the policy's
  std::size_t judged_together = 1;           // duets that share the policy's false_fail
  std::vector<std::string> waived_commits;
  bool allow_dirty = false;
  CommandDuetOptions command;
};

// Runs the duet of two sinks or of two commands, writes its file anew after each round, shows its
// figures, or with `gate` its verdict, and returns the exit code. Throws UsageError for arguments
// that do not fit.
int duet(const Catalog& catalog, const DuetArguments& arguments);

}  // namespace tailgate
