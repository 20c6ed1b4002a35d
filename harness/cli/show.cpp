#include "harness/cli/show.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/report/text.h"
#include "harness/result/files.h"

namespace tailgate {

void show(const ShowRequest& request, std::ostream& out) {
  std::vector<Result> results;
  std::vector<std::string> names;
  for (const std::filesystem::path& path : find_result_files(request.paths)) {
    results.push_back(load_result(path));
    names.push_back(path.string());
  }
  if (request.json) {
    out << render_summary_json(results, names);
  } else {
    out << render_text(
        results, {.colour = request.colour, .trials = request.trials, .roles = request.roles});
  }
}

void add_show_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("show", "Print results as a table");
  const auto request = std::make_shared<ShowRequest>();
  command->add_option("paths", request->paths, "Result files, and directories that hold some")
      ->required()
      ->type_name("FILE|DIR");
  command->add_flag("--trials", request->trials, "Also show every trial");
  command->add_flag("--roles", request->roles, "Overhead of every role, also of several results");
  command->add_flag("--json", request->json, "Print the same figures as JSON");
  command->footer(
      "Times are quantiles over all completed trials. \"response\" counts from a call's\n"
      "intended start, \"service\" from its start, \"delivery\" until a consumer saw the\n"
      "event. A '!' after the achieved rate: the sink could not keep up. A '>' before a\n"
      "maximum: it was longer. Overhead is the mean over trials with its 95 % interval.\n"
      "\n"
      "Examples:\n"
      "  tailgate show out/bench\n"
      "  tailgate show --trials 'steady@file_mode-mmap.json'\n"
      "  tailgate show --json out/bench | jq '.[].summary[].response.p99_ns'");
  command->callback([request, &action] {
    action = [request] {
      request->colour = colour_wanted(stdout);
      show(*request, std::cout);
      return kExitDone;
    };
  });
}

}  // namespace tailgate
