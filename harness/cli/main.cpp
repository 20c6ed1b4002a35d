#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <exception>

#include "harness/cli/commands.h"
#include "harness/cli/surroundings.h"
#include "harness/duet/program.h"
#include "harness/gate/gate.h"
#include "harness/trial/roles.h"

namespace {

using namespace tailgate;

int report(const Error& error) {
  fmt::print(stderr, "tailgate: {}\n  {}\n", error.what_failed(), error.remedy());
  return kExitFailed;
}

int run_command_line(int argc, char** argv) {
  Action action;
  const std::unique_ptr<CLI::App> program = make_program(action);
  try {
    program->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program->exit(error) == 0 ? kExitDone : kExitUsage;
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (const std::optional<int> exit_code = run_role(argc, argv)) return *exit_code;
    if (argc == 2 && std::strcmp(argv[1], kDescribeCommand) == 0) {
      fmt::print("{}", describe_program(build_used()));
      return kExitDone;
    }
    return run_command_line(argc, argv);
  } catch (const UsageError& error) {
    report(error);
    return kExitUsage;
  } catch (const VerdictError& error) {
    report(error);
    return verdict_exit_code(kVerdictInvalid);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tailgate: {}\n  this is a bug in tailgate; please report it\n",
               error.what());
    return kExitFailed;
  }
}
