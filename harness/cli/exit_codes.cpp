// What the exit codes mean, for the help and the manual.
#include "harness/cli/commands.h"
#include "harness/gate/gate.h"

namespace tailgate {
namespace {

const ExitCode kUsage = {kExitUsage, "usage", "the command line, a preset or a policy is wrong"};
const ExitCode kInterrupted = {kExitInterrupted, "interrupted",
                               "what was measured up to then is a valid partial result"};

}  // namespace

std::vector<ExitCode> exit_codes() {
  return {{kExitDone, "done", ""},
          {kExitFailed, "something went wrong",
           "a trial did not complete, events are unaccounted for or could not be read back, or a "
           "file could not be read or written"},
          kUsage,
          kInterrupted};
}

std::vector<ExitCode> verdict_exit_codes() {
  const auto code = [](VerdictOutcome outcome, const char* detail) {
    return ExitCode{verdict_exit_code(outcome), std::string(enum_text(outcome)), detail};
  };
  return {
      code(VerdictOutcome::pass, "B is not worse than A by more than the margins"),
      code(VerdictOutcome::fail, "B is worse than A, and nothing else"),
      kUsage,
      code(VerdictOutcome::inconclusive, "more rounds would decide"),
      code(VerdictOutcome::invalid, "the runs may not be compared, or no verdict could be reached"),
      kInterrupted};
}

}  // namespace tailgate
