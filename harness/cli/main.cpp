#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <exception>

#include "harness/base/build_info.h"
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
  CLI::App program("Measures what it costs to log an event, at the tail, at a given rate.",
                   "tailgate");
  program.set_version_flag("--version",
                           "tailgate " + build_info().version + " (" + build_info().revision + ")");
  program.require_subcommand(1);
  program.get_formatter()->column_width(32);
  program.footer(
      "Examples:\n"
      "  tailgate run steady --sink null,file --set rate_hz=10000 --out results-today\n"
      "  tailgate show results-today\n"
      "  tailgate plot results-today\n"
      "'tailgate COMMAND --help' tells more of each.\n"
      "Exit codes: 0 done, 1 something went wrong, 2 usage, 130 interrupted.");
  Action action;
  add_run_command(program, action);
  add_duet_command(program, action);
  add_sinks_command(program, action);
  add_scenarios_command(program, action);
  add_show_command(program, action);
  add_export_command(program, action);
  add_explain_command(program, action);
  add_plot_command(program, action);
  add_etl_command(program, action);
  add_gate_command(program, action);
  add_compare_command(program, action);
  add_policy_command(program, action);
  add_selftest_command(program, action);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kExitDone : kExitUsage;
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
