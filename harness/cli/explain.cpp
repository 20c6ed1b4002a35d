// tailgate explain: why the slow calls of a result were slow.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/export.h"
#include "harness/cli/readable_results.h"
#include "harness/report/exporter.h"

namespace tailgate {
namespace {

struct ExplainArguments {
  std::vector<std::filesystem::path> paths;
  unsigned calls = 3;
  std::string format;               // of what to export; empty: print the explanation
  std::filesystem::path directory;  // for the exported files; empty: stdout
};

int explain(const ExplainArguments& arguments) {
  if (!arguments.format.empty()) {
    const bool all = export_files(
        {.format = arguments.format, .paths = arguments.paths, .directory = arguments.directory},
        std::cout);
    return all ? kExitDone : kExitFailed;
  }
  bool first = true;
  bool any_traced = false;
  ReadableResults read = read_results(arguments.paths);
  for (NamedResult& named : read.results) {
    any_traced = any_traced || !named.result.traced.empty();
    const Results one = {std::move(named)};
    std::cout << (first ? "" : "\n") << render(one, "explain", {.calls = arguments.calls});
    first = false;
  }
  return any_traced && read.all() ? kExitDone : kExitFailed;
}

}  // namespace

void commands::add_explain_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("explain", "Print why slow calls were slow");
  const auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("paths", arguments->paths, "Result files, and directories that hold some")
      ->required()
      ->type_name("FILE|DIR");
  CommandOption* calls =
      command->add_option("--calls", arguments->calls, "Worst calls shown as timelines")
          ->range(0, 48)
          ->capture_default_str();
  CommandOption* format = command
                              ->add_option("--export", arguments->format,
                                           "Write for Perfetto, flame graphs or speedscope")
                              ->one_of({"perfetto", "folded", "speedscope"})
                              ->excludes(calls);  // these have all of them
  command->add_option("--out", arguments->directory, "Folder for these files; else stdout")
      ->type_name("DIR")
      ->needs(format);
  command->footer(
      "For results of 'tailgate run --explain'. Excess is a call's time above that of\n"
      "the median call; the times of the causes add up to the time of the calls. A gap\n"
      "is time on the processor without an event in the trace: in the program's own\n"
      "code the machine caused it (or the code took that long), in the kernel the cause\n"
      "is unknown. Functions are those that samples of the load's threads and of the\n"
      "daemons were in; a sample lengthens the call that it is taken in.\n"
      "\n"
      "Examples:\n"
      "  sudo tailgate run steady --sink file --explain --out why\n"
      "  tailgate explain why\n"
      "  tailgate explain --calls 10 'why/steady@file.json'\n"
      "  tailgate explain --export perfetto --out why why");
  command->callback([arguments, &action] { action = [arguments] { return explain(*arguments); }; });
}

}  // namespace tailgate
