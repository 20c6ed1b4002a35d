// The program's command line as a whole.
#include "harness/base/build_info.h"
#include "harness/cli/commands.h"

namespace tailgate {

std::unique_ptr<Command> make_program(const Catalog& catalog, Action& action) {
  auto program = std::make_unique<Command>(
      "tailgate", "Measures what it costs to log an event, at the tail, at a given rate.",
      "tailgate " + build_info().version + " (" + build_info().revision + ")");
  program->require_subcommand();
  program->footer(
      "Examples:\n"
      "  tailgate run steady --sink null,file --set rate_hz=10000 --out results-today\n"
      "  tailgate show results-today\n"
      "  tailgate plot results-today\n"
      "'tailgate COMMAND --help' describes each command.\n"
      "Exit codes: " +
      brief_list(exit_codes()) + ".");
  program->exit_codes(exit_codes());
#define TAILGATE_ADD_COMMAND(name) commands::add_##name##_command(*program, catalog, action);
  TAILGATE_COMMANDS(TAILGATE_ADD_COMMAND)
#undef TAILGATE_ADD_COMMAND
  return program;
}

}  // namespace tailgate
