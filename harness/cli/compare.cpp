#include "harness/cli/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "harness/cli/commands.h"
#include "harness/cli/readable_results.h"
#include "harness/cli/terminal.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

// Pairs of results. A pair is left out where one of its files cannot be read.
struct Pairs {
  Comparison comparison;
  bool all_read = true;

  void add(const NamedResult& a, const std::filesystem::path& file) {
    std::optional<NamedResult> b = load_or_leave_out(file);
    all_read = all_read && b;
    if (b) comparison.pairs.push_back({a, *std::move(b)});
  }
};

// Each file with the first.
Pairs with_first(const std::vector<std::filesystem::path>& paths) {
  const std::vector<std::filesystem::path> files = find_result_files(paths);
  if (files.size() < 2) {
    throw Error("one result is nothing to compare", "give two or more, or one duet");
  }
  Pairs pairs;
  const NamedResult first = {files.front().string(), load_whole_result(files.front())};
  for (std::size_t i = 1; i < files.size(); ++i) pairs.add(first, files[i]);
  return pairs;
}

// The files of two folders that have the same name.
Pairs by_name(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::map<std::string, std::filesystem::path> others;
  for (const auto& file : find_result_files({b})) others[file.filename().string()] = file;
  Pairs pairs;
  Comparison& comparison = pairs.comparison;
  bool any = false;
  for (const auto& file : find_result_files({a})) {
    const auto other = others.find(file.filename().string());
    if (other == others.end()) {
      comparison.without_partner.push_back(file.string());
      continue;
    }
    any = true;
    if (const std::optional<NamedResult> one = load_or_leave_out(file)) {
      pairs.add(*one, other->second);
    } else {
      pairs.all_read = false;
    }
    others.erase(other);
  }
  for (const auto& [name, file] : others) comparison.without_partner.push_back(file.string());
  if (any) return pairs;
  throw Error(fmt::format("'{}' and '{}' have no file of the same name", a.string(), b.string()),
              "name the two files to compare");
}

}  // namespace

bool compare(const CompareRequest& request, std::ostream& out) {
  const char* format = request.json ? "json" : "text";
  const ExportOptions options{.colour = request.colour};
  if (request.paths.size() == 1 && is_duet_file(request.paths.front())) {
    const Duet duet = as_usage([&] { return load_duet(request.paths.front()); });
    out << as_usage([&] { return render(duet, format, options); });
    return true;
  }
  const bool folders =
      request.paths.size() == 2 &&
      std::all_of(request.paths.begin(), request.paths.end(),
                  [](const auto& path) { return std::filesystem::is_directory(path); });
  Pairs pairs = as_usage([&] {
    return folders ? by_name(request.paths[0], request.paths[1]) : with_first(request.paths);
  });
  if (pairs.comparison.pairs.empty()) {
    throw Error("no two results could be read", "copy the files again, or repeat the runs");
  }
  out << render(std::move(pairs.comparison), format, options);
  return pairs.all_read;
}

void commands::add_compare_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("compare", "Show results side by side");
  const auto request = std::make_shared<CompareRequest>();
  command->add_option("paths", request->paths, "Results, against the first; 2 folders; a duet")
      ->required()
      ->type_name("FILE|DIR");
  command->add_flag("--json", request->json, "Print JSON: a list with an object per pair");
  command->footer(
      "There is no verdict: runs one after the other differ by more than most changes.\n"
      "'tailgate duet' and 'tailgate gate' judge. Of two folders, the files of the\n"
      "same name are compared.\n"
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
      return compare(*request, std::cout) ? kExitDone : kExitFailed;
    };
  });
}

}  // namespace tailgate
