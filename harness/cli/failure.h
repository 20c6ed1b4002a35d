// How the program fails: the one place that maps what was thrown to a message and an exit code.
#pragma once

#include <exception>
#include <string>

namespace tailgate {

class Action;

struct Failure {
  std::string what_failed;
  std::string remedy;
  int exit_code;
};

// Says what failed and what to do about it. gives_verdict: the command's exit code is a verdict's,
// so that a failure is an invalid verdict, and 1 always means that B is worse. Limits of the
// machine and of the user (memory, threads, files) have their own remedy; only what no user or
// machine can cause is called a bug.
Failure failure_of(const std::exception_ptr& thrown, bool gives_verdict);

// Runs the action and returns the exit code. Prints a failure on standard error; never throws, also
// where nothing can be written. Output that could not be written whole is a failure too, but does
// not change a verdict.
int run_action(const Action& action) noexcept;

// The same for a function before a command was chosen.
int report_failure(const Failure& failure) noexcept;

}  // namespace tailgate
