// The program. This file alone knows every sink and every scenario.
#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <exception>

#include "harness/cli/commands.h"
#include "harness/cli/surroundings.h"
#include "harness/gate/gate.h"
#include "harness/run/duet/program.h"
#include "harness/trial/processes/role.h"
#include "providers/all.h"
#include "scenarios/all.h"

namespace {

using namespace tailgate;

int report(const Error& error) {
  fmt::print(stderr, "tailgate: {}\n  {}\n", error.what_failed(), error.remedy());
  return kExitFailed;
}

int run_command_line(const Catalog& catalog, int argc, char** argv) {
  Action action;
  const std::unique_ptr<Command> program = make_program(catalog, action);
  switch (program->parse({argv + 1, argv + argc})) {
    case Parsed::answered:
      return kExitDone;
    case Parsed::refused:
      return kExitUsage;
    case Parsed::command:
      break;
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Catalog catalog;
    add_all_sinks(catalog.sinks);
    add_all_scenarios(catalog.scenarios);
    if (const auto exit_code = run_role(catalog.sinks, argc, argv)) return *exit_code;
    if (argc == 2 && std::strcmp(argv[1], kDescribeCommand) == 0) {
      fmt::print("{}", describe_program(build_used()));
      return kExitDone;
    }
    return run_command_line(catalog, argc, argv);
  } catch (const UsageError& error) {
    report(error);
    return kExitUsage;
  } catch (const VerdictError& error) {
    report(error);
    return verdict_exit_code(VerdictOutcome::invalid);
  } catch (const Error& error) {
    return report(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tailgate: {}\n  this is a bug in tailgate; please report it\n",
               error.what());
    return kExitFailed;
  }
}
