#include "harness/cli/compare.h"

#include <iostream>
#include <memory>
#include <utility>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {

void compare(const CompareRequest& request, std::ostream& out) {
  const char* format = request.json ? "json" : "text";
  const ExportOptions options{.colour = request.colour};
  if (request.paths.size() == 1 && is_duet_file(request.paths.front())) {
    const Duet duet = as_usage([&] { return load_duet(request.paths.front()); });
    out << as_usage([&] { return render(duet, format, options); });
    return;
  }
  Comparison comparison;
  for (const auto& file : as_usage([&] { return find_result_files(request.paths); })) {
    comparison.results.push_back({file.string(), as_usage([&] { return load_result(file); })});
  }
  if (comparison.results.size() < 2) {
    throw UsageError(Error("one result is nothing to compare", "give two or more, or one duet"));
  }
  out << render(std::move(comparison), format, options);
}

void commands::add_compare_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("compare", "Show results side by side");
  const auto request = std::make_shared<CompareRequest>();
  command->add_option("paths", request->paths, "Results, against the first; or one duet")
      ->required()
      ->type_name("FILE|DIR");
  command->add_flag("--json", request->json, "Print JSON: a list with an object per pair");
  command->footer(
      "There is no verdict: runs one after the other differ by more than most changes.\n"
      "'tailgate duet' and 'tailgate gate' judge.\n"
      "\n"
      "JSON: comparable, reasons (step, what, remedy; without step it forbids all), and\n"
      "steps: step, rate_hz, comparable, and the figures of response, service, logging\n"
      "and machine by their names in a result, each with a, b and change (b / a - 1),\n"
      "a_trials and b_trials, or a_half_width and b_half_width.\n"
      "\n"
      "Examples:\n"
      "  tailgate compare before/steady@file.json after/steady@file.json\n"
      "  tailgate compare --json before after | jq '.[].steps[].response.p99_ns.change'\n"
      "  tailgate compare duet.json");
  command->callback([request, &action] {
    action = [request] {
      request->colour = colour_wanted(stdout);
      compare(*request, std::cout);
      return kExitDone;
    };
  });
}

}  // namespace tailgate
