// The program's command line as a whole.
#include "harness/base/build_info.h"
#include "harness/cli/commands.h"

namespace tailgate {

std::unique_ptr<CLI::App> make_program(Action& action) {
  auto program = std::make_unique<CLI::App>(
      "Measures what it costs to log an event, at the tail, at a given rate.", "tailgate");
  // Else "/tmp/out" is an option to Windows. Before the subcommands, which inherit it.
  program->allow_windows_style_options(false);
  program->set_version_flag(
      "--version", "tailgate " + build_info().version + " (" + build_info().revision + ")");
  program->require_subcommand(1);
  program->get_formatter()->column_width(32);
  program->footer(
      "Examples:\n"
      "  tailgate run steady --sink null,file --set rate_hz=10000 --out results-today\n"
      "  tailgate show results-today\n"
      "  tailgate plot results-today\n"
      "'tailgate COMMAND --help' tells more of each.\n"
      "Exit codes: 0 done, 1 something went wrong, 2 usage, 130 interrupted.");
  add_run_command(*program, action);
  add_duet_command(*program, action);
  add_sinks_command(*program, action);
  add_scenarios_command(*program, action);
  add_show_command(*program, action);
  add_export_command(*program, action);
  add_explain_command(*program, action);
  add_plot_command(*program, action);
  add_etl_command(*program, action);
  add_gate_command(*program, action);
  add_compare_command(*program, action);
  add_policy_command(*program, action);
  add_selftest_command(*program, action);
  return program;
}

}  // namespace tailgate
