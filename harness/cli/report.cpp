// tailgate report: one page for all that was measured. plots/report.py makes it, and asks this
// program for what its other commands say.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/os/install_paths.h"
#include "harness/os/process.h"

namespace tailgate {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> paths;
  std::string out;
  std::string history;
};

// Beside the results, where the user names no file.
std::string page_of(const ReportArguments& arguments) {
  if (!arguments.out.empty()) return arguments.out;
  const fs::path first = arguments.paths.front();
  return ((fs::is_directory(first) ? first : first.parent_path()) / "report.html").string();
}

int make_report(const ReportArguments& arguments) {
  std::vector<std::string> command = plot_command("report.py");
  command.insert(command.end(),
                 {"--program=" + executable_path().string(), "--out=" + page_of(arguments)});
  if (!arguments.history.empty()) command.push_back("--history=" + arguments.history);
  command.emplace_back("--");  // a file's name may begin with a hyphen
  command.insert(command.end(), arguments.paths.begin(), arguments.paths.end());
  return run_program(command);
}

}  // namespace

void commands::add_report_command(Command& program, const Catalog&, Action& action) {
  Command* command =
      program.add_subcommand("report", "Make a page of HTML with the answer and plots");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("paths", arguments->paths, "Results, verdicts of a gate, and their folders")
      ->required()
      ->type_name("FILE|DIR");
  command->add_option("-o,--out", arguments->out, "The page; else report.html beside the results")
      ->type_name("FILE");
  command
      ->add_option("--history", arguments->history,
                   "Also show the findings of a history: a file\n"
                   "or postgresql://USER@HOST/DATABASE")
      ->type_name("WHERE");
  command->footer(
      "The page says first what came out, in one sentence: the gate's verdict where the\n"
      "folder holds one, else which path was best. Below it are what got worse, all\n"
      "figures in a table that sorts and filters, every plot, and the table as CSV. It\n"
      "is one file that loads nothing from elsewhere. Of a folder it takes the *.json,\n"
      "those of its folder results, and the verdicts in its folder plots, as ci/nightly\n"
      "and ci/gate leave them.\n"
      "\n"
      "Exit code: 2 when a folder's file could not be used; the page shows the rest.\n"
      "\n"
      "Examples:\n"
      "  tailgate report out/bench                        writes out/bench/report.html\n"
      "  tailgate report out/gate --out gate.html         what a gate left\n"
      "  tailgate report out/nightly/2026-11-25 --history out/history.sqlite");
  command->callback(
      [&action, arguments] { action = [arguments] { return make_report(*arguments); }; });
}

}  // namespace tailgate
