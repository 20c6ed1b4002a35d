// The subcommands. Each file adds one to the program: its options, its help with examples, and what
// it does, which returns the program's exit code.
//
// Exit codes: 0 done; 1 it ran, but something went wrong (a trial that did not complete, a file
// that cannot be written); 2 the command line or a preset is wrong; 130 interrupted by the user.
// A verdict has its own (harness/gate/gate.h), which leave 2 and 130 alone; what keeps a command
// from its verdict ends it as invalid does, so that 1 always means that B is worse.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "harness/base/error.h"

namespace tailgate {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

// What the chosen subcommand will do once the command line has been read.
using Action = std::function<int()>;

// The program with all of the subcommands below; parsing a command line sets action, which must
// outlive it.
std::unique_ptr<CLI::App> make_program(Action& action);

void add_run_command(CLI::App& program, Action& action);
void add_duet_command(CLI::App& program, Action& action);
void add_sinks_command(CLI::App& program, Action& action);
void add_scenarios_command(CLI::App& program, Action& action);
void add_show_command(CLI::App& program, Action& action);
void add_export_command(CLI::App& program, Action& action);
void add_explain_command(CLI::App& program, Action& action);
void add_plot_command(CLI::App& program, Action& action);
void add_etl_command(CLI::App& program, Action& action);
void add_gate_command(CLI::App& program, Action& action);
void add_compare_command(CLI::App& program, Action& action);
void add_policy_command(CLI::App& program, Action& action);
void add_selftest_command(CLI::App& program, Action& action);

// An Error that the user's own words caused: exit code 2.
class UsageError : public Error {
 public:
  explicit UsageError(const Error& error) : Error(error.what_failed(), error.remedy()) {}
};

// An Error that kept a command from giving a verdict: the exit code of an invalid one.
class VerdictError : public Error {
 public:
  explicit VerdictError(const Error& error) : Error(error.what_failed(), error.remedy()) {}
};

// Runs the part of a command that ends with a verdict.
template <class Part>
auto as_verdict(Part part) {
  try {
    return part();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw VerdictError(error);
  }
}

// Runs the part of a command that interprets what the user asked for.
template <class Part>
auto as_usage(Part part) {
  try {
    return part();
  } catch (const Error& error) {
    throw UsageError(error);
  }
}

}  // namespace tailgate
