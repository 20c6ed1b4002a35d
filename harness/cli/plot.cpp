// tailgate plot: draws result files, by the Python scripts in plots/.
#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"

namespace tailgate {

void commands::add_plot_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("plot", "Draw result files as PNG and SVG");
  command->take_all_arguments();  // the script knows them, and helps
  command->callback([&action, command] {
    std::vector<std::string> arguments = plot_command("plot.py");
    arguments.emplace_back("--called-as=tailgate plot");
    for (const std::string& argument : command->all_arguments()) arguments.push_back(argument);
    action = [arguments] { return run_program(arguments); };
  });
}

}  // namespace tailgate
