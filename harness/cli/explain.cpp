// tailgate explain: why the slow calls of a result were slow.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/export.h"
#include "harness/report/explain_text.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

struct ExplainArguments {
  std::vector<std::filesystem::path> paths;
  unsigned calls = 3;
  std::string format;               // of a trace to export instead
  std::filesystem::path directory;  // for it; empty: stdout
};

int explain(const ExplainArguments& arguments) {
  if (!arguments.format.empty()) {
    export_results(
        {.format = arguments.format, .paths = arguments.paths, .directory = arguments.directory},
        std::cout);
    return kExitDone;
  }
  bool first = true;
  for (const std::filesystem::path& path : find_result_files(arguments.paths)) {
    const std::string text = explain_text(load_result(path), arguments.calls);
    fmt::print("{}{}", first ? "" : "\n", text);
    first = false;
  }
  return kExitDone;
}

}  // namespace

void add_explain_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("explain", "Print why slow calls were slow");
  const auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("paths", arguments->paths, "Result files, and directories that hold some")
      ->required()
      ->type_name("FILE|DIR");
  command->add_option("--calls", arguments->calls, "Worst calls shown as timelines")
      ->check(CLI::Range(0, 48))
      ->capture_default_str();
  CLI::Option* format =
      command
          ->add_option("--export", arguments->format, "Write the slowest calls for ui.perfetto.dev")
          ->check(CLI::IsMember({"perfetto"}))
          ->type_name("FORMAT");
  command->add_option("--out", arguments->directory, "Folder for the traces; else stdout")
      ->type_name("DIR")
      ->needs(format);
  command->footer(
      "For 'tailgate run --explain'. Excess is a call's time above the median call's;\n"
      "the causes' times add up to what the calls took. Gaps are time on the\n"
      "processor in which the trace saw nothing: in the program's own code they are the\n"
      "machine's (or the code took that long), in the kernel nobody can tell.\n"
      "\n"
      "Examples:\n"
      "  sudo tailgate run steady --sink file --explain --out why\n"
      "  tailgate explain why\n"
      "  tailgate explain --calls 10 'why/steady@file.json'\n"
      "  tailgate explain --export perfetto --out why why");
  command->callback([arguments, &action] { action = [arguments] { return explain(*arguments); }; });
}

}  // namespace tailgate
