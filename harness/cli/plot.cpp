// tailgate plot: draws result files, by the Python scripts in plots/.
#include <fmt/format.h>

#include "harness/base/install_paths.h"
#include "harness/base/process.h"
#include "harness/cli/commands.h"

namespace tailgate {

void add_plot_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("plot", "Draw result files as PNG and SVG");
  command->prefix_command();
  command->set_help_flag("");  // --help too goes to the script, which knows its options
  command->callback([&action, command] {
    std::vector<std::string> arguments = {python_program(),
                                          (data_dir() / "plots" / "plot.py").string()};
    for (const std::string& argument : command->remaining()) arguments.push_back(argument);
    action = [arguments] { return run_program(arguments); };
  });
}

}  // namespace tailgate
