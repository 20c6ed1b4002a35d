// `tailgate duet --command 'A' 'B'`: two programs of the user's in alternation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command_line.h"
#include "harness/gate/policy.h"
#include "harness/run/duet/command_duet.h"

namespace tailgate {

struct CommandDuetOptions {
  bool wanted = false;     // A and B are commands
  std::string from;        // the format of what they print; empty: none
  std::string calls = {};  // which of their calls are timed; empty: none
  double timeout_s = CommandDuetRequest{}.timeout_s;
  std::string margin;
  std::vector<std::string> metrics;
};

// Adds --command and the options that need it.
void add_command_options(Command& command, CommandDuetOptions& options);

// What of the other options of `tailgate duet` it takes.
struct CommandDuetArguments {
  CommandDuetOptions options;
  CommandSubject a;
  CommandSubject b;
  std::optional<unsigned> rounds;
  std::uint64_t seed = 1;
  Placement placement;
  std::string out;
  bool resume = false;  // add rounds to the duet in the file `out`
  bool force = false;
  bool quiet = false;
  std::string scratch;
  bool keep = false;
  bool gate = false;
  std::string policy;
  bool explain = false;                  // then say why the sides differ; after a fail in any case
  std::optional<double> explain_s = {};  // how long; none: as the policy says, 0: never
  bool nightly = false;                  // judge by the policy's rules for nights
  PinHistory history = {};               // of the references of nights before A
  std::optional<double> time_budget_s = {};  // of this call; none: as long as the rounds take
  std::string directory_a = {};  // where A's command starts; empty: in this process's folder
  std::string directory_b = {};
  SideLayouts layouts_a = {};
  SideLayouts layouts_b = {};
  std::size_t judged_together = 1;  // duets that share the policy's false_fail
};

// Runs the duet, writes its file, shows its figures or with `gate` its verdict, and returns the
// exit code. Throws UsageError for a format or a margin that does not exist.
int duet_of_commands(const CommandDuetArguments& arguments);

}  // namespace tailgate
