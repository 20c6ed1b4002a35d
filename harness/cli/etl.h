// tailgate etl: reads event trace logs (.etl) on any system.
#pragma once

#include <CLI/CLI.hpp>

namespace tailgate::cli {

// Adds the subcommand `etl` with info, dump, stats, cpu and verify. Its callbacks print to standard
// output and throw Error; a reader of the output that goes away early is no error.
void add_etl_command(CLI::App& app);

}  // namespace tailgate::cli
