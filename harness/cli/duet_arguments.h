// What the command line of `tailgate duet` says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/duet_command.h"
#include "harness/cli/surroundings.h"
#include "harness/gate/policy.h"
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
  std::optional<unsigned> long_rounds = {};        // without: kLongRounds
  std::optional<unsigned> generation_rounds = {};  // without: kGenerationRounds
  std::optional<double> turn_ms;
  std::optional<unsigned> turns;
  unsigned warmup_turns = TurnWishes{}.warmup_turns;
  std::string out = "duet.json";
  std::string resumed_file = {};  // as the user names it; the next follows from it
  bool resume = false;            // add rounds to the duet in the file `out`, which has these sides
  std::string consume = "auto";
  PlacementArguments placement;
  std::string scratch;
  double hang_timeout_s = 10;
  bool rounds_shown = false;
  bool keep = false;
  bool force = false;
  bool quiet = false;
  bool gate = false;
  bool explain = false;       // traced rounds say why the sides differ, whatever the verdict
  bool only_explain = false;  // they are added to the duet in `out`, which gets no other rounds
  std::optional<double> explain_s = {};  // how long; without: as the policy says, or 30 s
  std::string policy;
  bool nightly = false;                      // judge by the policy's rules for nights
  PinHistory history = {};                   // of the references of nights before A
  std::optional<double> minutes = {};        // the same of the user's; the next follows from it
  std::optional<double> time_budget_s = {};  // of this call, in place of the policy's
  std::size_t judged_together = 1;           // duets that share the policy's false_fail
  std::vector<std::string> waived_commits;
  bool allow_dirty = false;
  CommandDuetOptions command;
};

}  // namespace tailgate
