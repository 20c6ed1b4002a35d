#include "harness/cli/show.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "harness/cli/commands.h"
#include "harness/cli/readable_results.h"
#include "harness/cli/terminal.h"
#include "harness/report/exporter.h"
#include "harness/report/ranking.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

// Loads the duets among the paths and removes them from the list.
std::vector<Duet> take_duets(std::vector<std::filesystem::path>& paths) {
  std::vector<Duet> duets;
  std::erase_if(paths, [&duets](const std::filesystem::path& path) {
    const bool is_duet = std::filesystem::is_regular_file(path) && is_duet_file(path);
    if (is_duet) duets.push_back(load_duet(path));
    return is_duet;
  });
  return duets;
}

// What results alone are shown by.
void check_options_of_duets(const ShowRequest& request, const std::vector<Duet>& duets,
                            const std::vector<std::filesystem::path>& others) {
  if (duets.empty() || !others.empty()) return;
  if (request.details || request.roles || !request.sort.empty()) {
    throw UsageError(Error("--details, --roles and --sort play no part in what is shown of a duet",
                           "leave them out; --trials shows its rounds"));
  }
}

}  // namespace

bool show(const ShowRequest& request, std::ostream& out) {
  std::vector<std::filesystem::path> paths = request.paths;
  const std::vector<Duet> duets = take_duets(paths);
  if (request.json && !duets.empty()) {
    throw UsageError(Error("a duet has no summary as JSON", "its file is JSON: read that"));
  }
  check_options_of_duets(request, duets, paths);
  ReadableResults read;
  if (!paths.empty()) read = read_results(paths);
  const ExportOptions options{.colour = request.colour,
                              .trials = request.trials,
                              .roles = request.roles,
                              .sort = request.sort};
  const bool details = request.details || request.trials || request.roles;
  const char* format = request.json ? "json" : details ? "details" : "text";
  bool first = true;
  for (const Duet& duet : duets) {
    out << (first ? "" : "\n") << render(duet, "text", options);
    first = false;
  }
  if (paths.empty()) return true;
  if (!duets.empty()) out << '\n';
  out << render(std::move(read.results), format, options);
  return read.all();
}

void commands::add_show_command(Command& program, const Catalog&, Action& action) {
  Command* command =
      program.add_subcommand("show", "Show which path was best, and how the others did");
  const auto request = std::make_shared<ShowRequest>();
  command->add_option("paths", request->paths, "Files of runs and duets, and directories of runs")
      ->required()
      ->type_name("FILE|DIR");
  CommandOption* sort =
      command->add_option("--sort", request->sort, "sink, rate, p50, p99, p99.9, max, lost or cpu")
          ->one_of(ranking_columns())
          ->type_name("COLUMN");
  CommandOption* json =
      command->add_flag("--json", request->json, "Print the same figures as JSON")->excludes(sort);
  command->add_flag("--details", request->details, "All steps, overhead, floors and remarks")
      ->excludes(json)
      ->excludes(sort);
  command->add_flag("--trials", request->trials, "Details, and every trial or round of a duet")
      ->excludes(json)
      ->excludes(sort);
  command->add_flag("--roles", request->roles, "Details, and the overhead of every role")
      ->excludes(json)
      ->excludes(sort);
  command->footer(
      "Shows on one screen which path was best, every path under the same load, the\n"
      "best of the other loads, and whether the machine was free to measure. Steps of\n"
      "one path are in the order of their rates, unless --sort is given. Times are\n"
      "quantiles of the response time over all completed trials, from when a call was\n"
      "due. CPU/ev is what logging an event costs the machine in processor time.\n"
      "\n"
      "With --details, \"response\" counts from a call's intended start, \"service\" from\n"
      "its start, \"delivery\" until a consumer saw the event. A '!' after the achieved\n"
      "rate: the sink could not keep up; an 'm': the machine's fault. A '>' before a\n"
      "maximum: it was longer. Overhead is the mean over trials with its 95 % interval.\n"
      "\n"
      "Examples:\n"
      "  tailgate show out/bench\n"
      "  tailgate show --sort cpu out/bench\n"
      "  tailgate show --trials 'steady@file_mode-mmap.json'\n"
      "  tailgate show --json out/bench | jq '.[].summary[].response.p99_ns'");
  command->callback([request, &action] {
    action = [request] {
      request->colour = colour_wanted(stdout);
      return show(*request, std::cout) ? kExitDone : kExitFailed;
    };
  });
}

}  // namespace tailgate
