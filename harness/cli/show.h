// tailgate show FILE|DIR...: results as a table.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <ostream>
#include <vector>

namespace tailgate {

struct ShowRequest {
  std::vector<std::filesystem::path> paths;  // result files, and directories that hold some
  bool trials = false;                       // rows for each trial
  bool json = false;                         // the same figures as JSON
  bool colour = false;
};

// Throws Error when a result cannot be read; nothing has been written then.
void show(const ShowRequest& request, std::ostream& out);

// Adds the subcommand, which prints to standard output when it is chosen; its errors are thrown
// out of app.parse().
void add_show_command(CLI::App& app);

}  // namespace tailgate
