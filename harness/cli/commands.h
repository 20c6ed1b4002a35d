// The subcommands. Each file adds one to the program: its options, its help with examples, and its
// action, which returns the program's exit code.
//
// Exit codes: 0 done; 1 it ran, but something went wrong (a trial that did not complete, a file
// that cannot be written); 2 the command line or a preset is wrong; 130 interrupted by the user.
// A command that gives a verdict returns the verdict's exit code (harness/gate/gate.h), which is
// never 2 or 130. failure.h maps errors to exit codes.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/cli/command_line.h"
#include "harness/run/catalog.h"

namespace tailgate {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

// What they mean, of a command that measures or converts and of one that gives a verdict.
std::vector<ExitCode> exit_codes();
std::vector<ExitCode> verdict_exit_codes();

// What the chosen subcommand does after the command line was read; it returns the exit code.
class Action {
 public:
  Action() = default;
  template <std::invocable Run>
  Action(Run run, bool gives_verdict = false)
      : run_(std::move(run)), gives_verdict_(gives_verdict) {}

  int operator()() const { return run_(); }
  // Whether the exit code is a verdict's.
  bool gives_verdict() const { return gives_verdict_; }

 private:
  std::function<int()> run_;
  bool gives_verdict_ = false;
};

// The program with all subcommands. Parsing a command line sets action; catalog and action must
// outlive the program.
std::unique_ptr<Command> make_program(const Catalog& catalog, Action& action);

// All subcommands, in the order of the help. Each is a file NAME.cpp that defines the function
// add_NAME_command. A function that is missing here fails to compile in its file; a name without a
// function fails to link.
#define TAILGATE_COMMANDS(COMMAND) \
  COMMAND(run)                     \
  COMMAND(exec)                    \
  COMMAND(duet)                    \
  COMMAND(doctor)                  \
  COMMAND(sinks)                   \
  COMMAND(check)                   \
  COMMAND(scenarios)               \
  COMMAND(show)                    \
  COMMAND(export)                  \
  COMMAND(explain)                 \
  COMMAND(plot)                    \
  COMMAND(report)                  \
  COMMAND(etl)                     \
  COMMAND(gate)                    \
  COMMAND(compare)                 \
  COMMAND(budget)                  \
  COMMAND(recommend)               \
  COMMAND(claims)                  \
  COMMAND(history)                 \
  COMMAND(policy)                  \
  COMMAND(init)                    \
  COMMAND(selftest)

namespace commands {
#define TAILGATE_DECLARE_COMMAND(name) \
  void add_##name##_command(Command& program, const Catalog& catalog, Action& action);
TAILGATE_COMMANDS(TAILGATE_DECLARE_COMMAND)
#undef TAILGATE_DECLARE_COMMAND
}  // namespace commands

// An Error in the command line or in a file of settings: exit code 2.
class UsageError : public Error {
 public:
  explicit UsageError(const Error& error) : Error(error.what_failed(), error.remedy()) {}
};

// Runs the part of a command that reads what the user asked for. Turns an Error into a UsageError.
template <class Part>
auto as_usage(Part part) {
  try {
    return part();
  } catch (const Error& error) {
    throw UsageError(error);
  }
}

}  // namespace tailgate
