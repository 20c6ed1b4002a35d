// The program. This file alone knows every sink and every scenario.
#include <fmt/format.h>

#include <cstring>
#include <exception>

#include "harness/cli/commands.h"
#include "harness/cli/failure.h"
#include "harness/cli/surroundings.h"
#include "harness/os/process.h"
#include "harness/project/link_layouts.h"
#include "harness/run/duet/program.h"
#include "harness/trial/processes/role.h"
#include "providers/all.h"
#include "scenarios/all.h"

namespace {

using namespace tailgate;

int run_command_line(const Catalog& catalog, int argc, char** argv) {
  Action action;
  const std::unique_ptr<Command> program = make_program(catalog, action);
  switch (program->parse({argv + 1, argv + argc})) {
    case Parsed::answered:
      action = [] { return kExitDone; };  // which checks that all was printed
      break;
    case Parsed::refused:
      return kExitUsage;
    case Parsed::command:
      break;
  }
  return run_action(action);
}

}  // namespace

int main(int argc, char** argv) {
  prepare_process();
  try {
    Catalog catalog;
    add_all_sinks(catalog.sinks);
    add_all_scenarios(catalog.scenarios);
    if (const auto exit_code = run_role(catalog.sinks, argc, argv)) return *exit_code;
    if (const auto exit_code = run_sink_process(argc, argv)) return *exit_code;
    if (argc == 2 && std::strcmp(argv[1], kDescribeCommand) == 0) {
      fmt::print("{}", describe_program(build_used()));
      return kExitDone;
    }
    if (argc >= 2 && std::strcmp(argv[1], kLinkCommand) == 0) {
      return link_layouts({argv + 2, argv + argc});
    }
    return run_command_line(catalog, argc, argv);
  } catch (...) {
    return report_failure(failure_of(std::current_exception(), false));
  }
}
