// The program's command line as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/build_info.h"
#include "harness/cli/commands.h"
#include "harness/cli/preset_folders.h"
#include "harness/run/preset.h"

namespace tailgate {
namespace {

// The command that was probably meant: a scenario, preset or suite is run, a file or folder shown.
std::string guess(const Catalog& catalog, const std::string& word) {
  const auto& scenarios = catalog.scenarios.all();
  const auto presets = preset_files(preset_folders());
  const bool runs = std::any_of(scenarios.begin(), scenarios.end(),
                                [&](const auto& one) { return one->name() == word; }) ||
                    std::any_of(presets.begin(), presets.end(),
                                [&](const auto& file) { return file.stem() == word; });
  if (runs) return "tailgate run " + word;
  std::error_code ignored;
  return std::filesystem::exists(word, ignored) ? "tailgate show " + word : "";
}

}  // namespace

std::unique_ptr<Command> make_program(const Catalog& catalog, Action& action) {
  auto program = std::make_unique<Command>(
      "tailgate", "Measures what it costs to log an event, at the tail, at a given rate.",
      "tailgate " + build_info().version + " (" + build_info().revision + ")");
  program->require_subcommand();
  program->guess_command([&catalog](const std::string& word) { return guess(catalog, word); });
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
