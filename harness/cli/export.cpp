#include "harness/cli/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "harness/base/quoting.h"
#include "harness/cli/commands.h"
#include "harness/cli/readable_results.h"
#include "harness/os/atomic_file.h"
#include "harness/report/exporter.h"
#include "harness/result/files.h"

namespace tailgate {
namespace {

// The heading above the formats of this kind in the help.
std::string_view heading_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::results:
      return "Formats of a result:";
    case DocumentKind::comparison:
      return "Written by 'tailgate compare':";
    case DocumentKind::duet:
      return "Formats of a duet:";
    case DocumentKind::verdicts:
      return "Written by 'tailgate gate':";
    case DocumentKind::calibration:
      return "Written by 'tailgate selftest gate':";
    case DocumentKind::budgets:
      return "Written by 'tailgate budget':";
    case DocumentKind::recommendation:
      return "Written by 'tailgate recommend':";
    case DocumentKind::claims:
      return "Written by 'tailgate claims':";
  }
  return "";
}

std::string formats_help() {
  std::string text;
  std::string_view heading;
  for (const Exporter* exporter : all_exporters()) {
    if (heading_of(exporter->takes) != heading) {
      heading = heading_of(exporter->takes);
      text += fmt::format("{}\n", heading);
    }
    text += fmt::format("  {:<14} {}\n", exporter->format, exporter->help);
  }
  return text;
}

// Those of the files that 'tailgate export' reads.
std::vector<std::string> formats() {
  std::set<std::string> names;
  for (const DocumentKind kind : {DocumentKind::results, DocumentKind::duet}) {
    for (const Exporter* exporter : exporters_of(kind)) names.emplace(exporter->format);
  }
  return {names.begin(), names.end()};
}

// A file and the exporter for it.
struct Job {
  std::filesystem::path path;
  const Exporter* exporter;
};

Job job_of(const std::filesystem::path& path, const ExportRequest& request) {
  const bool duet = is_duet_file(path);
  if (duet && request.step) {
    throw Error(fmt::format("'{}' is a duet, which has no steps", path.string()),
                "leave --step out");
  }
  const DocumentKind kind = duet ? DocumentKind::duet : DocumentKind::results;
  const Exporter& exporter = find_exporter(kind, request.format);
  if (request.metric != ExportRequest{}.metric && !exporter.one_metric) {
    throw Error(
        fmt::format("--metric {} plays no part in the format '{}'", request.metric, request.format),
        "leave it out: the format holds every time that was measured");
  }
  return {path, &exporter};
}

// Calls `act`; an Error that it throws names the file.
template <class Act>
auto naming(const std::filesystem::path& path, Act act) {
  try {
    return act();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what_failed()), error.remedy());
  }
}

// Nothing for a damaged file that is not the only one.
std::optional<NamedResult> chosen_result(const Job& job, const ExportRequest& request, bool alone) {
  std::optional<NamedResult> named =
      alone ? NamedResult{job.path.string(), load_whole_result(job.path)}
            : load_or_leave_out(job.path);
  if (named && request.step) {
    named->result = naming(job.path, [&] { return select_step(named->result, *request.step); });
  }
  return named;
}

// Likewise.
std::optional<std::string> exported(const Job& job, const ExportRequest& request,
                                    const ExportOptions& options, bool alone) {
  if (job.exporter->takes == DocumentKind::duet) {
    return job.exporter->render(load_duet(job.path), options);
  }
  std::optional<NamedResult> named = chosen_result(job, request, alone);
  if (!named) return std::nullopt;
  Results results;
  results.push_back(*std::move(named));
  return naming(job.path, [&] { return job.exporter->render(results, options); });
}

// Writes all files as one text; returns whether all could be read.
bool export_together(const std::vector<Job>& jobs, const ExportRequest& request,
                     const ExportOptions& options, std::ostream& out) {
  if (jobs.size() == 1) {
    out << *exported(jobs.front(), request, options, true);
    return true;
  }
  for (const Job& job : jobs) {
    if (job.exporter->takes_several) continue;
    throw UsageError(Error(fmt::format("{} files do not fit into one output of the format '{}'",
                                       jobs.size(), request.format),
                           "name a directory for the files with --out, or give one file"));
  }
  Results results;
  for (const Job& job : jobs) {
    std::optional<NamedResult> named = chosen_result(job, request, false);
    if (named) results.push_back(*std::move(named));
  }
  if (results.empty()) {
    throw Error("no result could be read", "copy the files again, or repeat the runs");
  }
  const bool all = results.size() == jobs.size();
  out << jobs.front().exporter->render(std::move(results), options);
  return all;
}

void make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw Error(
        fmt::format("cannot make the directory '{}': {}", directory.string(), error.message()),
        "name another with --out");
  }
}

}  // namespace

Result select_step(const Result& result, unsigned step) {
  Result selected = result;
  std::erase_if(selected.trials, [&](const Trial& trial) { return trial.step != step; });
  std::erase_if(selected.traced, [&](const Trial& trial) { return trial.step != step; });
  std::erase_if(selected.summary, [&](const StepSummary& summary) { return summary.step != step; });
  if (selected.trials.empty()) {
    std::set<unsigned> steps;
    for (const Trial& trial : result.trials) steps.insert(trial.step);
    throw Error(fmt::format("the result has no step {}", step),
                steps.empty() ? std::string("it has no trials at all: run again")
                              : fmt::format("give one of: {}", fmt::join(steps, ", ")));
  }
  return selected;
}

bool export_files(const ExportRequest& request, std::ostream& out) {
  ExportOptions options{.sort = ""};
  options.metric = as_usage([&] { return parse_latency_kind(request.metric); });
  std::vector<Job> jobs;
  for (const std::filesystem::path& path :
       as_usage([&] { return find_result_files(request.paths); })) {
    jobs.push_back(as_usage([&] { return job_of(path, request); }));
  }
  if (request.directory.empty()) return export_together(jobs, request, options, out);
  make_directory(request.directory);
  bool all = true;
  for (const Job& job : jobs) {
    const std::optional<std::string> text = exported(job, request, options, jobs.size() == 1);
    all = all && text;
    if (!text) continue;
    const std::string name = job.path.stem().string() + std::string(job.exporter->extension);
    write_file_atomically(request.directory / name, *text);
    out << printable((request.directory / name).string()) << '\n';
  }
  return all;
}

void commands::add_export_command(Command& program, const Catalog&, Action& action) {
  Command* command = program.add_subcommand("export", "Convert results for other tools");
  const auto request = std::make_shared<ExportRequest>();
  command->add_option("format", request->format, "What to convert to (see below)")
      ->required()
      ->one_of(formats())
      ->type_name("FORMAT");
  command->add_option("paths", request->paths, "Files of runs and duets, and directories of runs")
      ->required()
      ->type_name("FILE|DIR");
  command->add_option("--metric", request->metric, "Which time, where a format holds only one")
      ->one_of(enum_choices<LatencyKind>())
      ->capture_default_str();
  command->add_option("--step", request->step, "Only this step of a sweep, from 0")->type_name("N");
  command
      ->add_option("-o,--out", request->directory, "Folder for the files; else to standard output")
      ->type_name("DIR");
  command->footer(formats_help() +
                  "\n"
                  "Examples:\n"
                  "  tailgate export csv 'out/bench/steady@null.json'\n"
                  "  tailgate export csv out/bench > bench.csv        one table of all\n"
                  "  tailgate export gbench out/bench --out out/gbench\n"
                  "  tailgate export hgrm --metric service --step 2 'out/bench/sweep@file.json'");
  command->callback([request, &action] {
    action = [request] { return export_files(*request, std::cout) ? kExitDone : kExitFailed; };
  });
}

}  // namespace tailgate
