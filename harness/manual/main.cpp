// Writes the manual and the shells' completion into a folder, when the program is built.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/cli/commands.h"
#include "harness/manual/completion.h"
#include "harness/manual/page.h"
#include "harness/os/atomic_file.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

OptionText option_from(const nlohmann::json& json) {
  OptionText option;
  option.names = json.at("names").get<std::vector<std::string>>();
  option.positional = json.at("positional");
  option.description = json.at("description");
  option.value = json.at("value");
  option.required = json.at("required");
  option.repeats = json.at("repeats");
  return option;
}

// `tailgate plot` is a script: plot_text.py wrote what its help says.
void add_plot_text(CommandText& program, const fs::path& file) {
  std::ifstream in(file);
  const nlohmann::json json = nlohmann::json::parse(in);
  for (CommandText& command : program.subcommands) {
    if (command.name != "plot") continue;
    for (const auto& option : json.at("options")) command.options.push_back(option_from(option));
    command.footer = json.at("footer");
    command.exit_codes.clear();
    for (const auto& code : json.at("exit_codes")) {
      command.exit_codes.push_back({code.at("code"), code.at("brief"), ""});
    }
  }
}

void write_all(const fs::path& folder, const CommandText& program, const Edition& edition) {
  for (const char* part : {"man1", "bash", "zsh", "fish"}) fs::create_directories(folder / part);
  for (const ManualPage& page : manual_pages(program, edition)) {
    write_file_atomically(folder / "man1" / (page.name + ".1"), page.roff);
  }
  write_file_atomically(folder / "bash" / "tailgate", bash_completion(program));
  write_file_atomically(folder / "zsh" / "_tailgate", zsh_completion(program));
  write_file_atomically(folder / "fish" / "tailgate.fish", fish_completion(program));
}

void write_manual(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    throw Error("folder and date are missing",
                "tailgate_manual_writer FOLDER YYYY-MM-DD [PLOT.json]");
  }
  // The help names no sink and no scenario.
  const Catalog catalog;
  Action action;
  CommandText program = make_program(catalog, action)->text();
  if (arguments.size() > 2) add_plot_text(program, arguments[2]);
  write_all(arguments[0], program, {build_info().version, arguments[1]});
}

}  // namespace
}  // namespace tailgate

int main(int argc, char** argv) {
  try {
    tailgate::write_manual({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tailgate_manual_writer: {}\n", error.what());
    return 1;
  }
}
